package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/category/tree"
	"frontdesk/internal/check"
	"frontdesk/internal/check/rules"
	"frontdesk/internal/credential"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// interrupted is a table that is read in pages of 4 items, and fails after most pages.
type interrupted struct {
	table.Table
	pages atomic.Int64
	most  int64
}

var errInterrupted = errors.New("interrupted")

// ScanPage reads pages of 4 items, and fails when it has read enough of them.
func (s *interrupted) ScanPage(
	ctx context.Context, segment, segments, _ int, after table.Key,
) (items []dynamo.Item, last table.Key, err error) {
	if s.pages.Add(1) > s.most {
		return nil, last, errInterrupted
	}
	return s.Table.ScanPage(ctx, segment, segments, 4, after)
}

// damaged returns a table with one fault for each kind of statement, and one that needs no statement.
func damaged(t *testing.T) *fixture.Stack {
	t.Helper()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	for range 4 {
		stack.NewAgent(t, time.Now().Add(time.Hour))
	}
	user, _ := stack.NewAgent(t, time.Now().Add(time.Hour))
	portal := stack.NewPortal(t, 1, "handbook", "en")
	a := stack.NewCategory(t, portal, tree.Category{Name: "a"})
	b := stack.NewCategory(t, portal, tree.Category{Name: "b", Parent: a})
	for _, write := range []interface{ Run(context.Context) error }{
		stack.Table.DeleteItem(table.User(user)), // the owner of an e-mail address
		stack.Table.Put(table.AgentToken(4711, credential.Digest{})),
		stack.Table.UpdateItem(portal.Category(a)).Set("parent", b),
		stack.Table.Put(fixture.Object{"PK": "WHAT", "SK": "EVER"}),
	} {
		if err := write.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return stack
}

// run checks a table, and sorts the faults in the report.
func run(t *testing.T, tab table.Table, o check.Options) (check.Report, error) {
	t.Helper()
	report, err := check.Run(t.Context(), tab, rules.All, o)
	slices.SortFunc(report.Faults, func(a, b check.ReportedFault) int { return strings.Compare(a.What, b.What) })
	return report, err
}

// TestACheckGoesOnWhereItWas interrupts a check after every page. The next one must find the same, and read no
// page twice.
func TestACheckGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	stack := damaged(t)
	want, err := run(t, stack.Table, check.Options{})
	if err != nil || len(want.Faults) != 5 {
		t.Fatalf("%+v, %v", want, err)
	}
	for _, segments := range []int{1, 3} {
		whole := &interrupted{Table: stack.Table, most: 1000}
		got, err := run(t, stack.Table, check.Options{Source: whole, Segments: segments})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%d segments: %+v, %v\nwant %+v", segments, got, err, want)
		}
		for pages := range whole.pages.Load() {
			state := filepath.Join(t.TempDir(), "state")
			first := &interrupted{Table: stack.Table, most: pages}
			o := check.Options{Source: first, Segments: segments, State: state}
			if _, err := run(t, stack.Table, o); !errors.Is(err, errInterrupted) {
				t.Fatal(err)
			}
			// The half line must be overwritten, or the next line would be unreadable.
			kept := appendTo(t, state, `{"Segment":`) // an incomplete line, as a killed process leaves it
			o.Source = &interrupted{Table: stack.Table, most: whole.pages.Load() - kept}
			got, err := run(t, stack.Table, o)
			what := fmt.Sprintf("%d segments, interrupted after %d pages: ", segments, pages)
			if err != nil {
				t.Fatalf("%s%v", what, err)
			}
			expect.Equal(t, what+"got", got, want)
			if _, err := os.Stat(state); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the state is left: %v", err)
			}
		}
	}
}

// appendTo appends text to a state file, and returns how many pages the file has.
func appendTo(t *testing.T, state, text string) (pages int64) {
	t.Helper()
	before, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, append(before, text...), 0o600); err != nil {
		t.Fatal(err)
	}
	return int64(strings.Count(string(before), "\n")) - 1
}

// TestAStateOfAnotherCheckIsRefused shows that a check never continues from a state that is not its own.
func TestAStateOfAnotherCheckIsRefused(t *testing.T) {
	t.Parallel()
	stack := damaged(t)
	line := func(text string) func(*testing.T, *check.Options) {
		return func(t *testing.T, o *check.Options) { appendTo(t, o.State, text+"\n") }
	}
	for name, c := range map[string]struct {
		change func(*testing.T, *check.Options)
		want   string
	}{
		"of other segments": {func(_ *testing.T, o *check.Options) { o.Segments = 3 }, "of other --segments"},
		"of something else": {func(t *testing.T, o *check.Options) {
			if err := os.WriteFile(o.State, []byte("what ever\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is of another table"},
		"with a line that is none":      {line("{"), "remove it to begin anew"},
		"with a segment that is none":   {line(`{"Segment":7}`), "there is no segment 7"},
		"with statements that are none": {line(`{"Said":"x"}`), "remove it to begin anew"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := check.Options{
				State: filepath.Join(t.TempDir(), "state"), Segments: 2,
				Source: &interrupted{Table: stack.Table, most: 1},
			}
			if _, err := run(t, stack.Table, o); !errors.Is(err, errInterrupted) {
				t.Fatal(err)
			}
			c.change(t, &o)
			if _, err := run(t, stack.Table, o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := run(t, stack.Table, check.Options{Segments: check.MaxSegments + 1}); err == nil {
		t.Error("any number of segments is read")
	}
}

// TestProgress shows that both readings report their progress.
func TestProgress(t *testing.T) {
	t.Parallel()
	stack := damaged(t)
	told := map[string]check.Progress{}
	report, err := run(t, stack.Table, check.Options{Progress: func(p check.Progress) { told[p.What] = p }})
	if err != nil {
		t.Fatal(err)
	}
	items, pages := told["items"], told["suspect pages"]
	expect.Equal(t, "items.Done", items.Done, int64(report.Items))
	expect.AtLeast(t, "items.Of", items.Of, 0)
	expect.Equal(t, "pages.Done", pages.Done, 1)
	expect.Equal(t, "pages.Of", pages.Of, 1)
}
