package bench

import (
	"encoding/json"
	"maps"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/fixture"
)

// portal is a portal whose categories the tenant's agent changes.
type portal struct {
	bed      *testbed
	key      table.Portal
	creating *process // of create-category
	deleting *process // of delete-category
}

// startPortal makes a portal with the agent as a member, and starts the functions that create and delete
// its categories.
func (bed *testbed) startPortal(tb testing.TB) portal {
	tb.Helper()
	key := bed.NewPortal(tb, 1, bed.uniqueName("portal"), "en")
	bed.AddMember(tb, key, bed.Agent.ID)
	return portal{
		bed:      bed,
		key:      key,
		creating: bed.start(tb, "create-category", bed.database()),
		deleting: bed.start(tb, "delete-category", bed.database()),
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
	return signed(fixture.To("createCategory", p.key), p.bed.AgentToken, object{"category": fields})
}

func (p portal) deleteRequest(id json.Number) request {
	return signed(fixture.To("deleteCategory", p.key, id), p.bed.AgentToken, nil)
}

// list reads categories.
func (p portal) list(kind, query string) workload {
	w := repeat("list-categories", signed(fixture.To("listCategories", p.key).Query(query), p.bed.AgentToken, nil))
	w.kind = kind
	return w
}

// show reads one category.
func (p portal) show(id json.Number) workload {
	return repeat("show-category", signed(fixture.To("getCategory", p.key, id), p.bed.AgentToken, nil))
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
		return signed(fixture.To("reorderCategories", p.key), p.bed.AgentToken, object{"positions_hash": positions})
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
		fields := object{"name": p.bed.uniqueName("Billing")}
		return signed(fixture.To("updateCategory", p.key, id), p.bed.AgentToken, object{"category": fields})
	}}
}

// delete is the workload that deletes categories. Each is created before, outside of the measured time.
func (p portal) delete(fields object) workload {
	return workload{program: "delete-category", next: func(tb testing.TB) request {
		return p.deleteRequest(p.add(tb, fields))
	}}
}
