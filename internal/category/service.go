// Package category is the endpoints of the help center's categories: a tree with cross links inside each portal, for
// agents who are the portal's members.
//
// A request is decoded (package request), its caller authenticated and what it names read in one round trip
// (member.go), held against the rules and applied (package request), written by a [changeset.ChangeSet], and answered
// (view.go).
package category

import (
	"log/slog"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Service keeps the categories of all portals.
type Service struct{ Table table.Table }

// FromEnvironment builds the service of a function: TABLE_NAME.
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	return &Service{Table: t}, nil
}

// records are categories as the table holds them, by their ids.
type records map[id.ID]changeset.Record

// recordsOf are the records among items that have one of the ids.
func recordsOf(p table.Portal, ids []id.ID, items table.Items) (records, error) {
	found := records{}
	for _, c := range ids {
		var r changeset.Record
		ok, err := items.Get(p.Category(c), &r)
		if err != nil {
			return nil, err
		}
		if ok {
			found[c] = r
		}
	}
	return found, nil
}

// has reports whether a category is among the records.
func (rs records) has(category id.ID) bool { _, ok := rs[category]; return ok }

// open reports whether a category is among the records, and may be linked to.
func (rs records) open(category id.ID) bool {
	r, ok := rs[category]
	return ok && !r.Deleting
}

// categoryKeys are the keys of categories that may exist: a number that is no id names none, and in the zero Portal
// there are none.
func categoryKeys(p table.Portal, ids []id.ID) (keys []table.Key) {
	for _, c := range ids {
		if p != (table.Portal{}) && c >= 1 && c <= id.Max {
			keys = append(keys, p.Category(c))
		}
	}
	return keys
}

// answer is a category as it is answered.
func answer(v view) api.Response {
	return api.Response{Body: struct {
		Payload view `json:"payload"`
	}{v}}
}

// logCategory adds to a request's log line which category it was about.
func logCategory(r *api.Request, category id.ID) { r.Log(slog.Int64("category", int64(category))) }
