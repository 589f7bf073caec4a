package category_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/tree"
)

// TestListIsByPositionThenID shows the order of the list, by itself and for one locale, and its count.
// Categories without a position come last.
func TestListIsByPositionThenID(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		var ids []int64
		// Positions repeat and are missing, so that the id has to decide.
		for i, position := range []any{nil, 5, -1, nil, 5, 0} {
			locale := []string{"en", "es"}[i%2]
			ids = append(ids, p.create(t, fmt.Sprintf("c%d", i), object{"position": position, "locale": locale}))
		}
		at := func(indexes ...int) (want []int64) {
			for _, i := range indexes {
				want = append(want, ids[i])
			}
			return want
		}
		for query, want := range map[string][]int64{
			"":           at(2, 5, 1, 4, 0, 3),
			"?locale=en": at(2, 4, 0),
			"?locale=es": at(5, 1, 3),
			"?locale=":   at(2, 5, 1, 4, 0, 3),
			"?limit=100": at(2, 5, 1, 4, 0, 3),
			"?limit=2":   at(2, 5),
		} {
			r := p.send(t, p.to("listCategories").Query(query), nil)
			if got := idsOf(r.Body["payload"]); !slices.Equal(got, want) {
				t.Errorf("%q: %v, want %v", query, got, want)
			}
			count := map[string]int{"?locale=en": 3, "?locale=es": 3}
			n, filtered := count[query]
			if !filtered {
				n = 6
			}
			meta := r.Body["meta"].(object)
			expect.Equal[any](t, meta["categories_count"], float64(n), query+": count")
			expect.Equal(t, meta["next_cursor"] != nil, query == "?limit=2", query)
		}
	})
}

// TestPagesMakeTheWholeList walks the list with every limit, from one category a page to more than there are. Two
// thirds of the categories have no position, so pages end between equal ones, too.
func TestPagesMakeTheWholeList(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		for i := range 11 {
			var position any
			if i%3 == 0 {
				position = 9 - i/3
			}
			p.create(t, fmt.Sprintf("c%d", i), object{"position": position})
		}
		whole := idsOf(p.list(t, ""))
		for limit := 1; limit <= 12; limit++ {
			var got []int64
			query := fmt.Sprintf("?limit=%d", limit)
			for query != "" {
				r := p.send(t, p.to("listCategories").Query(query), nil)
				got = append(got, idsOf(r.Body["payload"])...)
				query = ""
				if cursor, _ := r.Body["meta"].(object)["next_cursor"].(string); cursor != "" {
					query = fmt.Sprintf("?limit=%d&cursor=%s", limit, url.QueryEscape(cursor))
				}
			}
			if !slices.Equal(got, whole) {
				t.Errorf("by %d: %v, want %v", limit, got, whole)
			}
		}
	})
}

// TestAPageGoesOnWhereTheLastOneEnded shows that a cursor survives the deletion of the category that it names.
func TestAPageGoesOnWhereTheLastOneEnded(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		a := p.create(t, "a", object{"position": 1})
		b := p.create(t, "b", object{"position": 2})
		c := p.create(t, "c", object{"position": 3})
		r := p.send(t, p.to("listCategories").Query("?limit=2"), nil)
		// The cursor names b.
		p.delete(t, b) // the one that the cursor names
		p.delete(t, a)
		cursor := r.Body["meta"].(object)["next_cursor"].(string)
		if got := idsOf(p.list(t, "?cursor="+cursor)); !slices.Equal(got, []int64{c}) {
			t.Errorf("%v, want %v", got, c)
		}
	})
}

// TestListQueriesThatAreRefused shows the limits of limit, the locales that there are, and that a cursor that a client
// made up is 400, not 500. A cursor is only encoded, not encrypted, so anybody can write one.
func TestListQueriesThatAreRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		for query, want := range map[string]string{
			"?limit=0":                         "limit must be an integer from 1 to 1000",
			"?limit=-1":                        "limit must be",
			"?limit=1001":                      "limit must be",
			"?limit=x":                         "limit must be",
			"?limit=1.5":                       "limit must be",
			"?locale=xx":                       `locale "xx" is not one of the portal's ["en","es","fr"]`,
			"?locale=en,es":                    `locale "en,es" is not`,
			"?locale=%20":                      `locale " " is not`,
			"?locale=en%22%0A":                 `locale "en\"\n" is not`,
			"?cursor=x":                        "cursor must be the next_cursor of an answer",
			"?cursor=%25":                      "cursor must be",
			"?cursor=" + cursorOf(`{"ID":-1}`): "cursor must be",
			"?cursor=" + cursorOf(`{"ID":9007199254740992}`): "cursor must be",
		} {
			r := p.send(t, p.to("listCategories").Query(query), nil)
			message, _ := r.Body["message"].(string)
			r.Is(t, 400, nil)
			expect.HasPrefix(t, message, want, query)
		}
	})
}

// TestAnEmptyPortal shows that an empty list is [], not null, and is counted as 0. Clients loop over the list, and
// null has no length.
func TestAnEmptyPortal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		r := p.send(t, p.to("listCategories"), nil)
		payload, ok := r.Body["payload"].(array)
		r.Is(t, 200, nil)
		if !ok {
			t.Fatalf("%d %v", r.Status, r.Body)
		}
		expect.Equal(t, len(payload), 0)
		expect.Equal(t, r.Body["meta"].(object)["categories_count"], 0.0)
	})
}

// TestAListThatIsTooLarge shows that a list too large for one answer of Lambda (6 MB) is refused with advice. Clients
// that take gzip get larger lists, because the limit counts the compressed answer.
func TestAListThatIsTooLarge(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startPublic(t)
		long := func(int) string { return strings.Repeat("\u2028", 10_000) } // 30 kB in the table, and 60 kB of JSON
		random := rand.NewChaCha8([32]byte{1})
		noise := func(int) string { // 10,000 characters, of which gzip makes 7.5 kB
			b := make([]byte, 7500)
			random.Read(b)
			return base64.RawURLEncoding.EncodeToString(b)
		}
		fill := func(portal table.Portal, n int, description func(int) string) {
			var categories []tree.Category
			for i := range n {
				text := description(i)
				categories = append(categories, tree.Category{
					ID: id.New(), Name: "long", Slug: fmt.Sprint(i), Locale: "en", Description: &text,
				})
			}
			p.PutCategories(t, portal, categories)
		}
		fill(p.portal, 110, long) // 6.6 MB of JSON; an answer has at most 6
		loud := p.NewPortal(t, 1, "loud", "en")
		member, ok := credential.Parse(credential.Agent, p.agent)
		if !ok {
			t.Fatal(p.agent)
		}
		p.AddMember(t, loud, member.ID)
		p.Publish(t, loud, true)
		fill(loud, 640, noise) // 6.6 MB: gzip makes 5 of it, which base64 makes too large
		for _, c := range []struct {
			of        table.Portal
			encoding  string
			query     string
			status, n int // how many are shown
			reads     int // at most
		}{
			{p.portal, "identity", "", 422, 0, 20}, // a query gives 1 MB
			{p.portal, "identity", "?locale=en&limit=1000", 422, 0, 20},
			{p.portal, "identity", "?limit=50", 200, 50, 20},
			{p.portal, "gzip", "", 200, 110, 25},
			{loud, "gzip", "", 422, 0, 25},
			{loud, "gzip", "?limit=100", 200, 100, 25},
		} {
			// The list of agents and that of readers have the same limit.
			for _, operation := range []string{"listCategories", "listPublicCategories"} {
				to := fixture.To(operation, c.of).Query(c.query)
				header := fixture.Token(p.agent)
				header.Set("Accept-Encoding", c.encoding)
				if c.encoding == "gzip" {
					header.Del("Accept-Encoding") // Go's client sends it, and unpacks the answer
				}
				r := p.Call(t, to, header, nil)
				payload, _ := r.Body["payload"].(array)
				what := fmt.Sprintf("%s %s: ", to.Path, c.encoding)
				expect.Equal(t, r.Status, c.status, what+"status")
				expect.Equal(t, len(payload), c.n, what)
				if c.status == 422 {
					expect.Equal(t, r.Body["code"], "answer_too_large", what+"code")
					expect.Contains(t, fmt.Sprint(r.Body["message"]), "limit", what+"message")
				}
				if n := len(p.Actions(r)); n > c.reads {
					t.Errorf("%s %s: read by %d calls", to.Path, c.encoding, n)
				}
			}
		}
	})
}

// cursorOf encodes a cursor that a client made up.
func cursorOf(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
