package check_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"frontdesk/internal/check"
	"frontdesk/internal/expect"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// many is a source of that many items, whose keys are their numbers.
type many int

// ScanPage returns every segments-th item after a key.
func (m many) ScanPage(
	_ context.Context, segment, segments, limit int, after table.Key,
) (items []dynamo.Item, last table.Key, err error) {
	n := segment
	if after.SK != "" {
		n, err = strconv.Atoi(after.SK)
		n += segments
	}
	for ; n < int(m) && len(items) < limit; n += segments {
		last = table.Key{PK: "N", SK: strconv.Itoa(n)}
		items = append(items, dynamo.Item{
			"PK": &types.AttributeValueMemberS{Value: last.PK}, "SK": &types.AttributeValueMemberS{Value: last.SK},
		})
	}
	if n >= int(m) {
		last = table.Key{}
	}
	return items, last, err
}

// TestEverySuspectIsLookedUpOnce shows that no item is looked up twice, although suspicious pages are read together
// with the next ones. The report has no more faults than MaxFaults.
func TestEverySuspectIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	const n = check.MaxFaults + 123
	for _, segments := range []int{1, 3} {
		seen := map[table.Key]int{}
		rule := func(i *check.Item) {
			k := i.Key
			i.Suspect(func(context.Context, table.Table) (*check.Fault, error) {
				seen[k]++
				return &check.Fault{What: k.String()}, nil
			})
		}
		o := check.Options{Segments: segments, Source: many(n), Repair: filepath.Join(t.TempDir(), "saved")}
		report, err := check.Run(t.Context(), table.Table{}, []check.Rule{rule}, o)
		what := fmt.Sprintf("%d segments: ", segments)
		if err != nil {
			t.Fatalf("%s%v", what, err)
		}
		expect.Equal(t, what+"report.Items", report.Items, n)
		expect.Equal(t, what+"report.Suspects", report.Suspects, n)
		expect.Equal(t, what+"report.Unmended()", report.Unmended(), n)
		expect.Equal(t, what+"len(report.Faults)", len(report.Faults), check.MaxFaults)
		expect.Equal(t, what+"report.Omitted()", report.Omitted(), 123)
		for k, times := range seen {
			if times != 1 {
				t.Errorf("%d segments: %s was looked up %d times", segments, k, times)
			}
		}
	}
}

// TestEveryCircleIsFoundOnce shows which cycles of parents are found, and that each is reported once.
func TestEveryCircleIsFoundOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parents []int // parent of each item, by number; -1 for none
		circles int
	}{
		"none":                       {[]int{-1, 0, 1, 1}, 0},
		"a parent that is not there": {[]int{7, 0}, 0},
		"of one":                     {[]int{0, 0}, 1},
		"of two":                     {[]int{1, 0}, 1},
		"of three, and others below": {[]int{1, 2, 0, 0, 3, 1}, 1},
		"two":                        {[]int{1, 0, 3, 2, 0}, 2},
		"a tree beside a circle":     {[]int{-1, 0, 1, 4, 3}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule := func(i *check.Item) {
				n, err := strconv.Atoi(i.Key.SK)
				if err != nil || c.parents[n] < 0 {
					return
				}
				if i.Below(table.Key{PK: "N", SK: strconv.Itoa(c.parents[n])}) {
					i.Suspect(func(context.Context, table.Table) (*check.Fault, error) { return &check.Fault{}, nil })
				}
			}
			o := check.Options{Segments: 2, Source: many(len(c.parents))}
			report, err := check.Run(t.Context(), table.Table{}, []check.Rule{rule}, o)
			if err != nil || len(report.Faults) != c.circles {
				t.Errorf("%d circles, %v; want %d", len(report.Faults), err, c.circles)
			}
		})
	}
}
