package id

import (
	"sync"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
)

// TestNewRisesWithinOneSource makes more ids than fit into one millisecond: the rest comes from the following ones.
func TestNewRisesWithinOneSource(t *testing.T) {
	var s Source
	last := ID(0)
	for range 100_000 { // far more than one millisecond's 2,048
		next := s.New()
		if next <= last {
			t.Fatalf("%d follows %d", next, last)
		}
		last = next
	}
}

// TestNewRisesWhenTheClockStepsBack shows that a corrected clock does not make an id again.
func TestNewRisesWhenTheClockStepsBack(t *testing.T) {
	var s Source
	now := time.Now()
	first := s.at(now)
	if second := s.at(now.Add(-time.Hour)); second <= first {
		t.Errorf("%d follows %d", second, first)
	}
}

// TestNewIsUniqueUnderConcurrency draws ids on 16 goroutines from one Source.
func TestNewIsUniqueUnderConcurrency(t *testing.T) {
	var s Source
	var mu sync.Mutex
	seen := map[ID]bool{}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 1000 {
				id := s.New()
				mu.Lock()
				if seen[id] {
					t.Errorf("%d was made twice", id)
				}
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestIDsOfLaterMillisecondsAreLarger shows that ids of different processes sort by time, as far as their clocks agree.
func TestIDsOfLaterMillisecondsAreLarger(t *testing.T) {
	now := time.Now()
	var a, b Source
	if early, late := a.at(now), b.at(now.Add(time.Millisecond)); early >= late {
		t.Errorf("%d at t, %d a millisecond later", early, late)
	}
}

func TestIDFitsJavaScriptFor100Years(t *testing.T) {
	var s Source
	if id := s.at(epoch.AddDate(100, 0, 0)); id > Max {
		t.Errorf("%d is over %d", id, Max)
	}
}

// TestAnIDHasOneSpelling shows that Parse accepts the decimal form that String writes, and no other.
func TestAnIDHasOneSpelling(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want ID
		ok   bool
	}{
		"one":                {"1", 1, true},
		"the largest":        {"9007199254740991", Max, true},
		"over the largest":   {"9007199254740992", 0, false},
		"over 64 bits":       {"99999999999999999999", 0, false},
		"zero":               {"0", 0, false},
		"negative":           {"-1", 0, false},
		"with a plus":        {"+1", 0, false},
		"with leading zeros": {"01", 0, false},
		"with a space":       {" 1", 0, false},
		"a fraction":         {"1.0", 0, false},
		"a word":             {"me", 0, false},
		"empty":              {"", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := Parse(c.in); got != c.want || ok != c.ok {
				t.Errorf("Parse(%q) = %d, %t; want %d, %t", c.in, got, ok, c.want, c.ok)
			}
		})
	}
}

// TestKeySortsAsTheNumber shows why keys are padded: as text, "9" comes after "10".
func TestKeySortsAsTheNumber(t *testing.T) {
	a, b := ID(9).Key(), ID(10).Key()
	if a >= b {
		t.Errorf("the keys of 9 and 10 are %q and %q, want them in this order", a, b)
	}
	expect.Equal(t, len(a), width)
	if k := Max.Key(); len(k) != width {
		t.Errorf("key of the largest id is %q", k)
	}
}
