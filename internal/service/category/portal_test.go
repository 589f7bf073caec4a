package category_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/fixture"
)

type (
	object = fixture.Object
	array  = fixture.Array
	answer = fixture.Answer
)

// testPortal is a portal in a running stack, with an agent who is its member and uses the API.
type testPortal struct {
	*fixture.Stack
	portal table.Portal
	agent  string // the member's token
}

// start starts a stack with a portal of three locales, whose default is en.
func start(t testing.TB, change ...func(*local.Options)) *testPortal {
	t.Helper()
	return newTestPortal(t, fixture.Start(t, change...), "handbook")
}

// newTestPortal makes a portal of three locales on a stack, and an agent who is its member.
func newTestPortal(t testing.TB, stack *fixture.Stack, slug string) *testPortal {
	t.Helper()
	portal := stack.NewPortal(t, 1, slug, "en", "es", "fr")
	return &testPortal{stack, portal, stack.NewMember(t, portal)}
}

// to returns the target of an operation of the portal, with the values that its path has beside the portal's.
func (p *testPortal) to(operation string, values ...any) fixture.Target {
	return fixture.To(operation, append([]any{p.portal}, values...)...)
}

// send sends a request of the member. It may be called from any goroutine, as may all methods that only send a request.
func (p *testPortal) send(t testing.TB, to fixture.Target, body any) answer {
	t.Helper()
	return p.sendAs(t, p.agent, to, body)
}

// sendAs sends a request with a token. The token "" sends none.
func (p *testPortal) sendAs(t testing.TB, token string, to fixture.Target, body any) answer {
	t.Helper()
	var header http.Header
	if token != "" {
		header = fixture.Token(token)
	}
	return p.Call(t, to, header, body)
}

// post creates a category. The next functions call one endpoint each, as the member.
func (p *testPortal) post(t testing.TB, fields object) answer {
	t.Helper()
	return p.send(t, p.to("createCategory"), object{"category": fields})
}

func (p *testPortal) update(t testing.TB, category int64, fields object) answer {
	t.Helper()
	return p.send(t, p.to("updateCategory", category), object{"category": fields})
}

func (p *testPortal) delete(t testing.TB, category int64) answer {
	t.Helper()
	return p.send(t, p.to("deleteCategory", category), nil)
}

// reorder gives positions to categories.
func (p *testPortal) reorder(t testing.TB, positions object) answer {
	t.Helper()
	return p.send(t, p.to("reorderCategories"), object{"positions_hash": positions})
}

// positionsOf returns ascending positions for the ids, starting with first, as the JSON of a reorder has them.
func positionsOf(ids []int64, first int) object {
	positions := object{}
	for i, id := range ids {
		positions[fmt.Sprint(id)] = first + i
	}
	return positions
}

// show returns a category from the endpoint that shows it alone.
func (p *testPortal) show(t testing.TB, category int64) object {
	t.Helper()
	a := p.send(t, p.to("getCategory", category), nil)
	if a.Status != http.StatusOK {
		t.Fatalf("show %d: %d %v", category, a.Status, a.Body)
	}
	return a.Body["payload"].(object)
}

// create creates a category and returns its id. Its slug is also its name, unless more has another one.
func (p *testPortal) create(t testing.TB, slug string, more object) int64 {
	t.Helper()
	fields := object{"name": slug, "slug": slug}
	maps.Copy(fields, more)
	a := p.post(t, fields)
	if a.Status != http.StatusOK {
		t.Fatalf("create %v: %d %v", fields, a.Status, a.Body)
	}
	return idOf(a.Body["payload"])
}

// list returns the categories in the list of a query.
func (p *testPortal) list(t testing.TB, query string) array {
	t.Helper()
	a := p.send(t, p.to("listCategories").Query(query), nil)
	if a.Status != http.StatusOK {
		t.Fatalf("list: %d %v", a.Status, a.Body)
	}
	return a.Body["payload"].(array)
}

// get returns a category as the list shows it, or nil when the list does not have it.
func (p *testPortal) get(t testing.TB, category int64) object {
	t.Helper()
	for _, c := range p.list(t, "") {
		if idOf(c) == category {
			return c.(object)
		}
	}
	return nil
}

// idOf returns the id of a category, or of the summary of one; 0 for nil.
func idOf(v any) int64 {
	o, _ := v.(object)
	n, _ := o["id"].(float64)
	return int64(n)
}

// idsOf returns the ids of a list of categories, nil for no list. A list of ids stays as it is.
func idsOf(v any) (ids []int64) {
	list, _ := v.(array)
	for _, element := range list {
		if n, ok := element.(float64); ok {
			ids = append(ids, int64(n))
		} else {
			ids = append(ids, idOf(element))
		}
	}
	return ids
}
