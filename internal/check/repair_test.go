package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/check"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// useless is a rule that deletes every login token. It calls judging between reading a token and deleting it.
func useless(judging func(k table.Key)) []check.Rule {
	return []check.Rule{func(i *check.Item) {
		k := i.Key
		if k.Kind() != "login token" {
			return
		}
		i.Suspect(check.Recheck([]table.Key{k}, func(items table.Items) *check.Fault {
			if items[k] == nil {
				return nil
			}
			judging(k)
			return &check.Fault{What: k.String(), Writes: check.Writes{k: nil}, Did: "deleted it"}
		}))
	}}
}

// withTokens returns a table of n login tokens.
func withTokens(t *testing.T, n int) *fixture.Stack {
	t.Helper()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	for i := range n {
		token := fixture.Object{"PK": "LOGIN#1", "SK": "LOGIN#" + string(rune('a'+i)), "map": fixture.Object{"a": 1}}
		if err := stack.Table.Put(token).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return stack
}

// TestOnlyWhatWasReadIsDeleted shows that an item which changes after the check read it stays, and is not in the file.
// The change is inside a map, which a comparison of top-level values could miss.
func TestOnlyWhatWasReadIsDeleted(t *testing.T) {
	t.Parallel()
	stack, changes := withTokens(t, 3), 1
	rules := useless(func(k table.Key) {
		if k.SK == "LOGIN#a" {
			return
		}
		changes++
		item := fixture.Object{"PK": k.PK, "SK": k.SK, "map": fixture.Object{"a": changes}}
		if err := stack.Table.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	saved := filepath.Join(t.TempDir(), "saved")
	report, err := check.Run(t.Context(), stack.Table, rules, check.Options{Repair: saved})
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "report.Unmended()", report.Unmended(), 2)
	expect.Equal(t, "report.Saved", report.Saved, 1)
	expect.Equal(t, "len(stack.Items(t))", len(stack.Items(t)), 2)
	for _, f := range report.Faults {
		if f.Mended == "" && f.Unmended != "it changed meanwhile" {
			t.Errorf("%+v", f)
		}
	}
	text, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, `strings.Count(string(text), "\n")`, strings.Count(string(text), "\n"), 2)
	expect.Contains(t, "text", string(text), "LOGIN#a")
}

// TestWhatMayStillBeDeletedIsSaved lets the first attempt at a deletion go unanswered, and the second meet a changed
// item. The first may still arrive when the item is again what it deletes. So the file has to keep the item.
func TestWhatMayStillBeDeletedIsSaved(t *testing.T) {
	t.Parallel()
	stack := withTokens(t, 1)
	whole := stack.Items(t)
	rules := useless(func(k table.Key) {
		if err := stack.Table.UpdateItem(k).Remove("map").Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	saved := filepath.Join(t.TempDir(), "saved")
	arrive := stack.DelayOperator(t, func(operators table.Table) {
		report, err := check.Run(t.Context(), operators, rules, check.Options{Repair: saved})
		expect.Equal(t, "error", err, nil)
		expect.Equal(t, "report.Unmended()", report.Unmended(), 1)
		expect.Equal(t, "report.Saved", report.Saved, 1)
	})
	if err := stack.Table.Put(whole[0]).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The delayed deletion arrives now, when the item is again what it deletes.
	arrive()
	if left := stack.Items(t); len(left) > 0 {
		t.Fatalf("there is %v", left)
	}
	restored, err := check.PutBack(t.Context(), stack.Table, saved)
	now := stack.Items(t)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "restored.Put", restored.Put, 1)
	expect.Equal(t, "stack.Items(t)", now, whole)
}

// TestNoFileIsLeftOfNothing shows that the file is removed again if nothing in it was deleted.
func TestNoFileIsLeftOfNothing(t *testing.T) {
	t.Parallel()
	stack := withTokens(t, 1)
	rules := useless(func(k table.Key) {
		if err := stack.Table.UpdateItem(k).Remove("map").Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	saved := filepath.Join(t.TempDir(), "saved")
	report, err := check.Run(t.Context(), stack.Table, rules, check.Options{Repair: saved})
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "report.Unmended()", report.Unmended(), 1)
	expect.Equal(t, "report.Saved", report.Saved, 0)
	if _, err := os.Stat(saved); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
}

// TestAnAttributeThatWasAddedSinceStays shows that neither a repair nor a put-back overwrites an attribute that
// somebody added since.
func TestAnAttributeThatWasAddedSinceStays(t *testing.T) {
	t.Parallel()
	stack := withTokens(t, 1)
	add := func(k table.Key, name, value string) {
		if err := stack.Table.UpdateItem(k).Set(name, value).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(judging func(table.Key)) []check.Rule { // replaces the map by a text
		return []check.Rule{func(i *check.Item) {
			k := i.Key
			i.Suspect(check.Recheck([]table.Key{k}, func(items table.Items) *check.Fault {
				if items[k]["map"] == nil {
					return nil
				}
				judging(k)
				text := check.Set{"map": nil, "text": "repair"}
				return &check.Fault{Writes: check.Writes{k: text}, Did: "replaced it"}
			}))
		}}
	}
	meanwhile := func(k table.Key) { add(k, "text", "meanwhile") }
	o := check.Options{Repair: filepath.Join(t.TempDir(), "saved")}
	report, err := check.Run(t.Context(), stack.Table, replace(meanwhile), o)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "report.Unmended()", report.Unmended(), 1)
	expect.Equal(t, "report.Saved", report.Saved, 0)
	before := stack.Items(t)
	k := table.KeyOf(before[0])
	if text := before[0]["text"]; !reflect.DeepEqual(text, &types.AttributeValueMemberS{Value: "meanwhile"}) {
		t.Errorf("the text is %v", text)
	}

	report, err = check.Run(t.Context(), stack.Table, replace(func(table.Key) {}), o)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "report.Unmended()", report.Unmended(), 0)
	expect.Equal(t, "report.Saved", report.Saved, 1)
	add(k, "map", "since")
	after := stack.Items(t)
	restored, err := check.PutBack(t.Context(), stack.Table, o.Repair)
	now := stack.Items(t)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "len(restored.Left)", len(restored.Left), 1)
	expect.Equal(t, "stack.Items(t)", now, after)
}

// TestAnInterruptedRepairIsPutBack shows that the file has at least what was deleted, wherever the repair stops.
func TestAnInterruptedRepairIsPutBack(t *testing.T) {
	t.Parallel()
	stack := withTokens(t, 5)
	whole := stack.Items(t)
	ctx, interrupt := context.WithCancel(t.Context())
	seen := 0
	rules := useless(func(table.Key) {
		if seen++; seen == 4 {
			interrupt()
		}
	})
	saved := filepath.Join(t.TempDir(), "saved")
	report, err := check.Run(ctx, stack.Table, rules, check.Options{Repair: saved})
	expect.Equal(t, "error is context.Canceled", errors.Is(err, context.Canceled), true)
	expect.AtLeast(t, "report.Saved", report.Saved, 3)
	if left := stack.Items(t); len(left) != 2 {
		t.Errorf("%d items are left", len(left))
	}
	restored, err := check.PutBack(t.Context(), stack.Table, saved)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "restored.Put", restored.Put, 3)
	expect.Equal(t, "restored.Left", restored.Left, nil)
	if now := stack.Items(t); !reflect.DeepEqual(now, whole) {
		t.Errorf("%v, want %v", now, whole)
	}
}

// TestARepairWritesWhatItHasReadAlone shows that a rule cannot write unread items: nobody could tell what was lost.
func TestARepairWritesWhatItHasReadAlone(t *testing.T) {
	t.Parallel()
	stack := withTokens(t, 1)
	rules := []check.Rule{func(i *check.Item) {
		i.Suspect(check.Recheck([]table.Key{i.Key}, func(table.Items) *check.Fault {
			return &check.Fault{Writes: check.Writes{{PK: "WHAT", SK: "EVER"}: nil}}
		}))
	}}
	_, err := check.Run(t.Context(), stack.Table, rules, check.Options{})
	expect.Contains(t, "error", fmt.Sprint(err), `"WHAT"/"EVER", which it has not read`)
}
