package category_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"frontdesk/internal/fixture"
	"frontdesk/internal/local"
	"frontdesk/internal/table"
)

type (
	object = fixture.Object
	array  = fixture.Array
	answer = fixture.Answer
)

// testPortal is a portal in a running stack, and an agent who is its member and uses the API.
type testPortal struct {
	*fixture.Stack
	portal table.Portal
	path   string // of its categories
	agent  string // token of the member
}

// start starts a stack with one portal.
func start(t testing.TB, change ...func(*local.Options)) *testPortal {
	t.Helper()
	return newTestPortal(t, fixture.Start(t, change...), "handbook")
}

func newTestPortal(t testing.TB, stack *fixture.Stack, slug string) *testPortal {
	t.Helper()
	portal := stack.NewPortal(t, 1, slug, "en", "es", "fr")
	return &testPortal{stack, portal, fixture.CategoriesPath(portal), stack.NewMember(t, portal)}
}

// send sends a request of the member. Rest follows the path of the portal's categories. Like all that only send a
// request, it may be called from any goroutine.
func (p *testPortal) send(t testing.TB, method, rest string, body any) answer {
	t.Helper()
	return p.sendAs(t, p.agent, method, rest, body)
}

// sendAs sends a request with a token, "" for none.
func (p *testPortal) sendAs(t testing.TB, token, method, rest string, body any) answer {
	t.Helper()
	var header http.Header
	if token != "" {
		header = fixture.Token(token)
	}
	return p.Call(t, method, p.path+rest, header, body)
}

func (p *testPortal) post(t testing.TB, fields object) answer {
	t.Helper()
	return p.send(t, "POST", "", object{"category": fields})
}

func (p *testPortal) update(t testing.TB, category int64, fields object) answer {
	t.Helper()
	return p.send(t, "PUT", fmt.Sprintf("/%d", category), object{"category": fields})
}

func (p *testPortal) delete(t testing.TB, category int64) answer {
	t.Helper()
	return p.send(t, "DELETE", fmt.Sprintf("/%d", category), nil)
}

// reorder gives positions to categories.
func (p *testPortal) reorder(t testing.TB, positions object) answer {
	t.Helper()
	return p.send(t, "POST", "/reorder", object{"positions_hash": positions})
}

// positionsOf are positions in the order of ids, from first on.
func positionsOf(ids []int64, first int) object {
	positions := object{}
	for i, id := range ids {
		positions[fmt.Sprint(id)] = first + i
	}
	return positions
}

// show is a category as it is shown alone.
func (p *testPortal) show(t testing.TB, category int64) object {
	t.Helper()
	a := p.send(t, "GET", fmt.Sprintf("/%d", category), nil)
	if a.Status != http.StatusOK {
		t.Fatalf("show %d: %d %v", category, a.Status, a.Body)
	}
	return a.Body["payload"].(object)
}

// create creates a category with a slug, that slug as its name, and more fields, and gives its id.
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

// list gives the categories that the list of a query has.
func (p *testPortal) list(t testing.TB, query string) array {
	t.Helper()
	a := p.send(t, "GET", query, nil)
	if a.Status != http.StatusOK {
		t.Fatalf("list: %d %v", a.Status, a.Body)
	}
	return a.Body["payload"].(array)
}

// get is a category as the list shows it, nil if it does not.
func (p *testPortal) get(t testing.TB, category int64) object {
	t.Helper()
	for _, c := range p.list(t, "") {
		if idOf(c) == category {
			return c.(object)
		}
	}
	return nil
}

// idOf is the id of a category, or of a summary of one; 0 for nil.
func idOf(v any) int64 {
	o, _ := v.(object)
	n, _ := o["id"].(float64)
	return int64(n)
}

// idsOf are the ids of a list of categories, or the list of ids itself.
func idsOf(v any) (ids []int64) {
	for _, element := range v.(array) {
		if n, ok := element.(float64); ok {
			ids = append(ids, int64(n))
		} else {
			ids = append(ids, idOf(element))
		}
	}
	return ids
}
