package check_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/guregu/dynamo/v2"
)

// node is an item below another one, by numbers from 1; 0 for none.
type node struct {
	table.Key
	Above int `dynamo:"above"`
}

func nodeKey(n int) table.Key { return table.Key{PK: table.Users + strconv.Itoa(n), SK: "USER"} }

// nodes is a registry whose only kind is that of nodes.
func nodes() table.Registry {
	return table.NewRegistry([]table.ItemKind{{
		Name: table.User(0).Kind(),
		Read: table.DecodeAs[node](nil, nil),
		Agreement: table.Agreement{
			Parent: table.FromContent(func(_ table.Key, n node) table.Key {
				if n.Above == 0 {
					return table.Key{}
				}
				return nodeKey(n.Above)
			}),
			Circle: func(k table.Key) string { return "open " + k.PK },
		},
	}})
}

// TestEveryCircleIsFoundOnce shows which cycles are found, and that each is reported once.
func TestEveryCircleIsFoundOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		for name, c := range map[string]struct {
			above   []int // what is above each item, by number
			circles int
		}{
			"none":                       {[]int{0, 1, 2, 2}, 0},
			"one above is not there":     {[]int{8, 1}, 0},
			"of one":                     {[]int{1, 1}, 1},
			"of two":                     {[]int{2, 1}, 1},
			"of three, and others below": {[]int{2, 3, 1, 1, 4, 2}, 1},
			"two":                        {[]int{2, 1, 4, 3, 1}, 2},
			"a tree beside a circle":     {[]int{0, 1, 2, 5, 4}, 1},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				in := stack.Table.WithName(stack.Table.Name() + "-" + strings.NewReplacer(" ", "-", ",", "").
					Replace(name))
				if _, err := in.Create(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i, above := range c.above {
					if err := in.Put(node{nodeKey(i + 1), above}).Run(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if err := in.DeleteItem(table.LayoutKey).Run(t.Context()); err != nil { // of another kind
					t.Fatal(err)
				}
				report, err := check.Run(t.Context(), in, nodes(), check.Options{Segments: 2, Pause: 1})
				if err != nil {
					t.Fatal(err)
				}
				expect.Len(t, report.Faults, c.circles, "circles")
			})
		}
	})
}

// small is a table that is read in pages of 4 items.
type small struct{ table.Table }

func (s small) ScanPage(
	ctx context.Context, segment, segments, limit int, after table.Key,
) (items []dynamo.Item, last table.Key, err error) {
	return s.Table.ScanPage(ctx, segment, segments, min(limit, 4), after)
}

// TestASmallPageMakesNoDifference: two sides of a pair may be on different pages, and in different segments.
func TestASmallPageMakesNoDifference(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := populated(t)
		for _, write := range []interface{ Run(context.Context) error }{
			stack.Table.Put(fixture.Object{"PK": "WHAT", "SK": "EVER"}),
			stack.Table.Put(table.PermissibleLink(4711, 4711)),
		} {
			if err := write.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want, err := run(t, stack.Table, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		// The item of no kind; the link, its app and its user.
		expect.Len(t, want.Faults, 4)
		for _, segments := range []int{1, 3} {
			got, err := run(t, stack.Table, check.Options{Segments: segments, Source: small{stack.Table}})
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, got.Items, want.Items)
			expect.Equal(t, len(got.Faults), len(want.Faults))
			for i := range want.Faults {
				expect.Equal(t, got.Faults[i].What, want.Faults[i].What)
			}
		}
		_, err = run(t, stack.Table, check.Options{Segments: check.MaxSegments + 1})
		expect.Equal(t, err == nil, false, "any number of segments is read")
	})
}
