package answercache_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/base/answercache"
	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-lambda-go/events"
)

// kitchen makes a new answer each time that it is asked. That takes a while.
type kitchen struct {
	cache *answercache.Cache
	takes time.Duration
	made  int
}

// ask returns the answer for a key as "number age", or the error.
func (k *kitchen) ask(t *testing.T, key string) string {
	t.Helper()
	response, err := k.cache.Answer(key, func() (any, time.Time, error) {
		began := time.Now()
		time.Sleep(k.takes)
		k.made++
		if strings.HasPrefix(key, "missing") {
			return nil, began, errors.New("missing")
		}
		return k.made, began, nil
	})
	if err != nil {
		return err.Error()
	}
	if got := response.Header["cache-control"]; got != "public, max-age=60, stale-while-revalidate=300" {
		t.Errorf("cache-control: %s", got)
	}
	return bodyOf(t, response) + " " + response.Header["age"]
}

// bodyOf returns the body of an answer as a client gets it, without the line feed at its end.
func bodyOf(t *testing.T, response api.Response) string {
	t.Helper()
	var answer events.APIGatewayV2HTTPResponse
	f := api.Function{
		Handle: func(context.Context, *api.Request) (api.Response, error) { return response, nil },
	}
	out, err := f.Invoke(t.Context(), []byte(`{}`))
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		t.Error(err)
	}
	return strings.TrimSuffix(answer.Body, "\n")
}

// TestAnswersAreKeptForAMinute shows that the minute counts from the time of the read. Errors are not kept.
func TestAnswersAreKeptForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kitchen{cache: answercache.New(1 << 20), takes: 1500 * time.Millisecond}
		for _, step := range []struct {
			after time.Duration
			key   string
			want  string
		}{
			{0, "a", "1 2"}, // a second and a half is rounded up
			{0, "b", "2 2"},
			{0, "a", "1 3"},
			{0, "missing", "missing"},
			{0, "missing", "missing"},
			{53 * time.Second, "a", "1 59"},
			{time.Second - 1, "a", "1 60"},
			{1, "b", "2 59"},
			{500 * time.Millisecond, "a", "5 2"},
			{57 * time.Second, "a", "5 59"},
			{time.Hour, "a", "6 2"},
		} {
			time.Sleep(step.after)
			if got := k.ask(t, step.key); got != step.want {
				t.Errorf("%s after %s: %s, want %s", step.key, step.after, got, step.want)
			}
		}
	})
}

// TestTheLeastRecentGoesWhereThereIsNoRoom also shows that an answer that is larger than the cache is not kept.
func TestTheLeastRecentGoesWhereThereIsNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kitchen{cache: answercache.New(1800)} // room for three
		long := strings.Repeat("long", 500)
		for i, step := range []struct {
			key  string
			want string
		}{
			{"a", "1 0"}, {"b", "2 0"}, {"c", "3 0"}, {"a", "1 0"}, {"d", "4 0"},
			{"a", "1 0"}, {"c", "3 0"}, {"d", "4 0"}, {"b", "5 0"}, {"a", "6 0"},
			{long, "7 0"}, {long, "8 0"},
		} {
			if got := k.ask(t, step.key); got != step.want {
				t.Errorf("step %d: %s, want %s", i, got, step.want)
			}
		}
	})
}

// TestManyAtOnce shows that each of 16 clients gets an answer for its own key that was less than a minute old when
// it asked.
func TestManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type answer struct {
			Key int
			At  time.Time
		}
		cache := answercache.New(20_000) // room for some of the keys only
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for range 500 {
					time.Sleep(rand.N(time.Second))
					asked, key := time.Now(), rand.IntN(50)
					response, err := cache.Answer(fmt.Sprint(key), func() (any, time.Time, error) {
						at := time.Now()
						time.Sleep(rand.N(time.Second))
						return answer{key, at}, at, nil
					})
					if err != nil {
						t.Error(err)
					}
					var got answer
					err = json.Unmarshal([]byte(bodyOf(t, response)), &got)
					expect.Equal(t, err, nil)
					expect.Equal(t, got.Key, key)
					expect.AtMost(t, asked.Sub(got.At), answercache.Lifetime-1)
				}
			})
		}
		all.Wait()
	})
}
