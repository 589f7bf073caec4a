package bench

import (
	"encoding/json"
	"maps"
	"testing"

	"frontdesk/internal/base/table"
)

const (
	categoriesPath = "/api/v1/accounts/{account_id}/portals/{portal_slug}/categories"
	categoryPath   = categoriesPath + "/{category_id}"
)

// portal is a portal whose categories the tenant's agent changes.
type portal struct {
	bed        *testbed
	key        table.Portal
	parameters map[string]string // of the path of its categories
	creating   *process          // of create-category
	deleting   *process          // of delete-category
}

// startPortal makes a portal with the agent as a member, and starts the functions that create and delete
// its categories.
func (bed *testbed) startPortal(tb testing.TB) portal {
	tb.Helper()
	key := bed.NewPortal(tb, 1, bed.uniqueName("portal"), "en")
	bed.AddMember(tb, key, bed.Agent.ID)
	return portal{
		bed:        bed,
		key:        key,
		parameters: map[string]string{"account_id": key.Account.String(), "portal_slug": key.Slug},
		creating:   bed.start(tb, "create-category", bed.database()),
		deleting:   bed.start(tb, "delete-category", bed.database()),
	}
}

// add creates a category with a slug of its own, and returns its id.
func (p portal) add(tb testing.TB, fields object) json.Number {
	tb.Helper()
	return idIn(tb, send(tb, p.creating, p.createRequest(fields)))
}

// idIn returns the category's id from an answer.
func idIn(tb testing.TB, r reply) json.Number {
	tb.Helper()
	var answer struct{ Payload struct{ ID json.Number } }
	if err := json.Unmarshal(r.body, &answer); err != nil {
		tb.Fatal(err)
	}
	return answer.Payload.ID
}

func (p portal) createRequest(fields object) request {
	fields = maps.Clone(fields)
	fields["slug"] = p.bed.uniqueName("category")
	return request{
		method: "POST", path: categoriesPath, parameters: p.parameters, token: p.bed.AgentToken,
		body: object{"category": fields},
	}
}

func (p portal) deleteRequest(id json.Number) request {
	return request{method: "DELETE", path: categoryPath, parameters: p.withCategory(id), token: p.bed.AgentToken}
}

// withCategory returns the parameters of a category's path.
func (p portal) withCategory(id json.Number) map[string]string {
	parameters := maps.Clone(p.parameters)
	parameters["category_id"] = id.String()
	return parameters
}

// list reads categories.
func (p portal) list(kind string, query map[string]string) workload {
	w := repeat("list-categories", p.listRequest(query))
	w.kind = kind
	return w
}

func (p portal) listRequest(query map[string]string) request {
	return request{method: "GET", path: categoriesPath, parameters: p.parameters, query: query, token: p.bed.AgentToken}
}

// show reads one category.
func (p portal) show(id json.Number) workload {
	return repeat("show-category", request{
		method: "GET", path: categoryPath, parameters: p.withCategory(id), token: p.bed.AgentToken,
	})
}

// reorder gives other positions to categories.
func (p portal) reorder(ids ...json.Number) workload {
	first := 0
	return workload{program: "reorder-categories", next: func(testing.TB) request {
		positions := object{}
		for i, id := range ids {
			positions[id.String()] = first + i
		}
		first++
		return request{
			method: "POST", path: categoriesPath + "/reorder", parameters: p.parameters, token: p.bed.AgentToken,
			body: object{"positions_hash": positions},
		}
	}}
}

// create is the workload that creates categories. Each is deleted again, so that the portal does not grow.
func (p portal) create(fields object) workload {
	return workload{
		program: "create-category",
		next:    func(testing.TB) request { return p.createRequest(fields) },
		undo:    func(tb testing.TB, r reply) { send(tb, p.deleting, p.deleteRequest(idIn(tb, r))) },
	}
}

// update renames a category.
func (p portal) update(kind string, id json.Number) workload {
	return workload{program: "update-category", kind: kind, next: func(testing.TB) request {
		return request{
			method: "PUT", path: categoryPath, parameters: p.withCategory(id), token: p.bed.AgentToken,
			body: object{"category": object{"name": p.bed.uniqueName("Billing")}},
		}
	}}
}

// delete is the workload that deletes categories. Each is created before, outside of the measured time.
func (p portal) delete(fields object) workload {
	return workload{program: "delete-category", next: func(tb testing.TB) request {
		return p.deleteRequest(p.add(tb, fields))
	}}
}
