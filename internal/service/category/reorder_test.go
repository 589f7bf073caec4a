package category_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/tree"
)

// some makes n categories without the endpoint.
func (p *testPortal) some(t testing.TB, name string, n int) (ids []int64) {
	t.Helper()
	categories := make([]tree.Category, n)
	for i := range categories {
		categories[i].Name = fmt.Sprintf("%s-%d", name, i)
	}
	for _, c := range p.NewCategories(t, p.portal, categories...) {
		ids = append(ids, int64(c))
	}
	return ids
}

// TestReorder shows that the answer has the named categories, in the order of the list and as the list shows them.
func TestReorder(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		root := p.create(t, "root", object{"locale": "es", "position": 1})
		x := p.create(t, "x", object{
			"associated_category_id": root, "related_category_ids": array{root}, "position": 2,
		})
		y := p.create(t, "y", object{"parent_category_id": x})
		z := p.create(t, "z", object{"parent_category_id": x, "position": 3})
		for _, c := range []struct {
			name      string
			positions object
			answered  []int64
			listed    []int64
		}{
			{"to other positions", positionsOf([]int64{z, y, x}, 1), []int64{z, y, x}, []int64{root, z, y, x}},
			{"to the same position", object{fmt.Sprint(x): 5, fmt.Sprint(z): 5}, []int64{x, z}, []int64{root, y, x, z}},
			{"to none", object{fmt.Sprint(y): nil, fmt.Sprint(x): -1}, []int64{x, y}, []int64{x, root, z, y}},
			{"to what they have", object{fmt.Sprint(y): nil, fmt.Sprint(z): 5}, []int64{z, y}, []int64{x, root, z, y}},
			{
				"some to what they have", object{fmt.Sprint(y): -2, fmt.Sprint(z): 5},
				[]int64{y, z}, []int64{y, x, root, z},
			},
			{"across locales", positionsOf([]int64{x, root, y, z}, 1), []int64{x, root, y, z}, []int64{x, root, y, z}},
		} {
			before := p.list(t, "")
			r := p.reorder(t, c.positions)
			r.Is(t, 200, nil)
			expect.Equal(t, len(r.Body), 1, c.name)
			expect.Equal(t, idsOf(r.Body["payload"]), c.answered, c.name+": ids")
			if got := idsOf(p.list(t, "?limit=10")); !slices.Equal(got, c.listed) {
				t.Errorf("%s: the list is %v, want %v", c.name, got, c.listed)
			}
			for _, now := range r.Body["payload"].(array) {
				was := before[slices.IndexFunc(before, func(b any) bool { return idOf(b) == idOf(now) })].(object)
				position, updated := now.(object)["position"], now.(object)["updated_at"]
				if fmt.Sprint(position) != fmt.Sprint(c.positions[fmt.Sprint(idOf(now))]) {
					t.Errorf("%s: %d is at %v", c.name, idOf(now), position)
				}
				if same := fmt.Sprint(was["position"]) == fmt.Sprint(position); same != (was["updated_at"] == updated) {
					t.Errorf("%s: updated_at of %d went from %v to %v", c.name, idOf(now), was["updated_at"], updated)
				}
				if shown := p.show(t, idOf(now)); fmt.Sprint(shown) != fmt.Sprint(now) {
					t.Errorf("%s: answered %v\nshown %v", c.name, now, shown)
				}
			}
		}
		p.MustBeWhole(t)
	})
}

// TestReorderRules shows that a reorder with one fault names it and changes nothing.
func TestReorderRules(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		ids := p.some(t, "c", changeset.MaxReorder+1)
		elsewhere := start(t)
		foreign := elsewhere.create(t, "foreign", nil)
		gone := p.create(t, "gone", nil)
		if r := p.delete(t, gone); r.Status != 200 {
			t.Fatalf("%d %v", r.Status, r.Body)
		}
		x, y := ids[0], ids[1]
		hash := func(format string, args ...any) string {
			return `{"positions_hash":{` + fmt.Sprintf(format, args...) + `}}`
		}
		missing := func(id int64) string { return fmt.Sprintf("Category %d must exist", id) }
		noID := func(name string) string {
			return fmt.Sprintf("positions_hash has %q, which is no category's id: digits, the first of them no 0", name)
		}
		name := func(id int64) string { return fmt.Sprintf("positions_hash.%d", id) }
		noInteger, twice := name(x)+" must be an integer", name(x)+" is given more than once"
		var before string
		for rule, c := range map[string]struct {
			body       any
			status     int
			message    string // or what it begins with
			attributes array
		}{
			"no body":             {nil, 400, "body is empty", nil},
			"no object":           {"[]", 400, "body must be one JSON object", nil},
			"a form":              {"a=b", 400, "body is not valid JSON", nil},
			"no hash":             {object{"positions": object{}}, 400, "positions_hash is missing", nil},
			"a hash of null":      {object{"positions_hash": nil}, 400, "positions_hash is missing", nil},
			"a hash that is none": {object{"positions_hash": array{x}}, 400, "positions_hash must be an object", nil},
			"an empty hash": {
				object{"positions_hash": object{}}, 422, "Positions can't be blank", array{"positions_hash"},
			},
			"51 categories": {
				object{"positions_hash": positionsOf(ids, 1)}, 422, "Positions are too many: 51 (maximum is 50)",
				array{"positions_hash"},
			},

			"an id of another portal": {hash(`"%d":1,"%d":2`, x, foreign), 422, missing(foreign), array{name(foreign)}},
			"an id that is gone":      {hash(`"%d":1,"%d":2`, x, gone), 422, missing(gone), array{name(gone)}},
			"two ids of none": {
				hash(`"4712":1,"%d":1,"4711":2`, x), 422, missing(4711) + ", " + missing(4712),
				array{name(4711), name(4712)},
			},
			// JSON parsers keep the last of two equal names. Here the client is told, also when an escape hides it.
			"an id twice":           {hash(`"%d":1,"%d":2,"%d":3`, x, y, x), 400, twice, nil},
			"an id twice, the same": {hash(`"%d":1,"%d":1`, x, x), 400, twice, nil},
			"an id twice, escaped":  {hash(`"%d":1,"\u003%d":1`, x, x), 400, twice, nil},
			// 1 and 01 would be two names of one category.
			"an id with a zero":       {hash(`"%d":1,"0%d":2`, y, x), 400, noID(fmt.Sprintf("0%d", x)), nil},
			"an id with a sign":       {hash(`"+%d":1`, x), 400, noID(fmt.Sprintf("+%d", x)), nil},
			"an id with a space":      {hash(`" %d":1`, x), 400, noID(fmt.Sprintf(" %d", x)), nil},
			"an id of other digits":   {hash(`"٤":1`), 400, noID("٤"), nil}, // Arabic-Indic digits
			"an id that is no number": {hash(`"x":1`), 400, noID("x"), nil},
			"an empty id":             {hash(`"":1`), 400, noID(""), nil},
			"an id of 0":              {hash(`"0":1`), 400, noID("0"), nil},
			"a negative id":           {hash(`"-%d":1`, x), 400, noID(fmt.Sprintf("-%d", x)), nil},
			"an id too large":         {hash(`"9999999999999999999":1`), 400, noID("9999999999999999999"), nil},

			"a position that is text":    {hash(`"%d":1,"%d":"2"`, y, x), 400, noInteger, nil},
			"a position with a fraction": {hash(`"%d":1.5`, x), 400, noInteger, nil},
			"a position too large": {
				hash(`"%d":9007199254740992`, x), 400, noInteger + " of at most 9007199254740991", nil,
			},
			"a position that is a list": {hash(`"%d":[1]`, x), 400, noInteger, nil},
			"a position that is true":   {hash(`"%d":true`, x), 400, noInteger, nil},
		} {
			localtest.Case(t, rule, func(t testing.TB) {
				if before == "" {
					before = fmt.Sprint(p.list(t, ""))
				}
				r := p.send(t, p.to("reorderCategories"), c.body)
				message, _ := r.Body["message"].(string)
				told := strings.HasPrefix(message, c.message)
				attributes, _ := r.Body["attributes"].(array)
				r.Is(t, c.status, nil)
				expect.Equal(t, told, true)
				expect.Equal(t, attributes, c.attributes)
				if now := fmt.Sprint(p.list(t, "")); now != before {
					t.Errorf("something was changed")
				}
			})
		}
		r := p.reorder(t, positionsOf(ids[1:], -20))
		r.Is(t, 200, nil)
		expect.Equal(t, len(r.Body["payload"].(array)), 50, "50 categories")
		if got := idsOf(p.list(t, "?limit=100")); !slices.Equal(got, append(ids[1:], x)) {
			t.Errorf("the list is %v", got)
		}
		p.MustBeWhole(t)
	})
}

// TestReordersBesideOtherChanges lets 24 clients reorder the same categories, rename them, move them and delete
// some. Each reorder is done for all of its categories or for none, and no change is lost.
func TestReordersBesideOtherChanges(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startReadCommitted(t)
		p.AWSProxy().Inject(conflicting)
		ids := p.some(t, "c", 16)
		stay, doomed := ids[:14], ids[14:]
		parent := p.create(t, "parent", nil)
		answers := fixture.Together(24, func(i int) (last answer) {
			switch {
			case i < len(doomed):
				return p.delete(t, doomed[i])
			case i < 8:
				return p.update(t, stay[i], object{"name": fmt.Sprintf("renamed-%d", i)})
			case i < 14:
				return p.update(t, stay[i], object{"parent_category_id": parent})
			// Readers walk the list meanwhile.
			case i < 16:
				for range 4 {
					last = p.send(t, p.to("listCategories").Query("?limit=100"), nil)
					if last.Status != 200 {
						return last
					}
					got := slices.Sorted(slices.Values(idsOf(last.Body["payload"])))
					if len(slices.Compact(slices.Clone(got))) != len(got) {
						t.Errorf("a page has a category twice: %v", got)
					}
				}
				return last
			}
			positions := positionsOf(stay, 100*i)
			if i%2 == 0 {
				maps.Copy(positions, positionsOf(doomed, 100*i+50))
			}
			for range 20 { // as clients do that are told to try again
				if last = p.reorder(t, positions); last.Status != 409 {
					break
				}
			}
			return last
		})
		p.AWSProxy().Inject(nil)
		p.MustBeWhole(t)
		done := 0
		for i, r := range answers {
			reorders := i >= 16
			switch {
			case r.Status == 200 && reorders:
				done++
			case r.Status == 200, r.Status == 409:
			case r.Status == 422 && reorders && i%2 == 0: // a doomed one is gone
			default:
				t.Errorf("client %d: %d %v", i, r.Status, r.Body)
			}
		}
		if done == 0 {
			t.Fatal("no reorder was done")
		}
		now := map[int64]object{}
		for _, c := range p.list(t, "") {
			now[idOf(c)] = c.(object)
		}
		first, _ := now[stay[0]]["position"].(float64)
		// Each client uses a hundred positions of its own, so a position tells which client has written it.
		winner := int(first) / 100
		expect.AtLeast(t, winner, 16, "int(first) / 100")
		if status := answers[winner].Status; status != 200 {
			t.Errorf("the positions are those of client %d, who got %d", winner, status)
		}
		for i, c := range stay {
			if now[c]["position"] != first+float64(i) {
				t.Errorf("%d is at %v, and the first at %v", i, now[c]["position"], first)
			}
			r := answers[i]
			if i >= len(doomed) && i < 8 && (now[c]["name"] == fmt.Sprintf("renamed-%d", i)) != (r.Status == 200) {
				t.Errorf("%d has the name %v after %d", i, now[c]["name"], r.Status)
			}
			if i >= 8 && i < 14 && (idOf(now[c]["parent_category"]) == parent) != (r.Status == 200) {
				t.Errorf("%d is below %v after %d", i, now[c]["parent_category"], r.Status)
			}
		}
		for i, c := range doomed {
			if (now[c] == nil) != (answers[i].Status == 200) {
				t.Errorf("%d was deleted with %d and is %v", i, answers[i].Status, now[c])
			}
		}
	})
}
