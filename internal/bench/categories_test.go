package bench

import (
	"encoding/json"
	"maps"
	"testing"

	"frontdesk/internal/category"
	"frontdesk/internal/table"
)

const (
	categoriesPath = "/api/v1/accounts/{account_id}/portals/{portal_slug}/categories"
	categoryPath   = categoriesPath + "/{category_id}"
)

// handbook is a portal that the desk's user keeps.
type handbook struct {
	desk       *desk
	parameters map[string]string // of the path of its categories
	creating   *process          // of create-category
	deleting   *process          // of delete-category
}

// newHandbook makes a portal of which the user is a member.
func (d *desk) newHandbook(tb testing.TB) handbook {
	tb.Helper()
	key := table.Portal{Account: 1, Slug: d.fresh("portal")}
	portals := category.Portals{Table: d.table}
	_, err := portals.Create(tb.Context(), category.Portal{Account: key.Account, Slug: key.Slug, Name: "Handbook", Locales: []string{"en"}})
	if err != nil {
		tb.Fatal(err)
	}
	if err := portals.AddMember(tb.Context(), key, d.user.ID); err != nil {
		tb.Fatal(err)
	}
	return handbook{
		desk:       d,
		parameters: map[string]string{"account_id": key.Account.String(), "portal_slug": key.Slug},
		creating:   d.start(tb, "create-category", d.database()),
		deleting:   d.start(tb, "delete-category", d.database()),
	}
}

// add makes a category of a fresh slug and gives its id.
func (h handbook) add(tb testing.TB, fields object) json.Number {
	tb.Helper()
	return idIn(tb, send(tb, h.creating, h.create(fields)))
}

// idIn is the category's id in an answer.
func idIn(tb testing.TB, r reply) json.Number {
	tb.Helper()
	var answer struct{ Payload struct{ ID json.Number } }
	if err := json.Unmarshal(r.body, &answer); err != nil {
		tb.Fatal(err)
	}
	return answer.Payload.ID
}

func (h handbook) create(fields object) request {
	fields = maps.Clone(fields)
	fields["slug"] = h.desk.fresh("category")
	return request{method: "POST", path: categoriesPath, parameters: h.parameters, token: h.desk.agent, body: object{"category": fields}}
}

func (h handbook) delete(id json.Number) request {
	return request{method: "DELETE", path: categoryPath, parameters: h.with(id), token: h.desk.agent}
}

// with are the parameters of a category's path.
func (h handbook) with(id json.Number) map[string]string {
	parameters := maps.Clone(h.parameters)
	parameters["category_id"] = id.String()
	return parameters
}

// lists reads the first page.
func (h handbook) lists() usage {
	return always("list-categories", request{
		method: "GET", path: categoriesPath, parameters: h.parameters, query: map[string]string{"limit": "1000"}, token: h.desk.agent,
	})
}

// creates makes categories, which are deleted again: the portal does not grow.
func (h handbook) creates(fields object) usage {
	return usage{
		program: "create-category",
		next:    func(testing.TB) request { return h.create(fields) },
		undo:    func(tb testing.TB, r reply) { send(tb, h.deleting, h.delete(idIn(tb, r))) },
	}
}

// updates renames a category.
func (h handbook) updates(kind string, id json.Number) usage {
	return usage{program: "update-category", kind: kind, next: func(testing.TB) request {
		return request{
			method: "PUT", path: categoryPath, parameters: h.with(id), token: h.desk.agent,
			body: object{"category": object{"name": h.desk.fresh("Billing")}},
		}
	}}
}

// deletes deletes categories that are made for it.
func (h handbook) deletes(fields object) usage {
	return usage{program: "delete-category", next: func(tb testing.TB) request { return h.delete(h.add(tb, fields)) }}
}
