package integrity

import (
	"time"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// mending is a transaction that mends a portal, each of its writes on condition that what was seen is so
// still.
type mending struct {
	table  table.Table
	portal table.Portal
	tx     *table.Tx
}

// mend begins a mending when the check has its transaction.
func mend(p table.Portal, do func(*mending) string) func(*table.Tx) string {
	return func(tx *table.Tx) string { return do(&mending{tx.Table(), p, tx}) }
}

// seen: the category is as it was seen.
func (m *mending) seen(r changeset.Record) {
	m.tx.Check(m.check(r.Key).If("version = ?", r.Version), check.ErrChanged)
}

// lacks: the category that was seen not to have something, or not to be there, is so still.
func (m *mending) lacks(k table.Key, items table.Items) {
	if r, ok := get[changeset.Record](items, k); ok {
		m.seen(r)
	} else {
		m.absent(k)
	}
}

// absent: there is no such item.
func (m *mending) absent(k table.Key) {
	m.tx.Check(m.check(k).If("attribute_not_exists(PK)"), check.ErrChanged)
}

func (m *mending) check(k table.Key) *dynamo.ConditionCheck {
	return m.table.Check("PK", k.PK).Range("SK", k.SK)
}

func (m *mending) put(item changeset.Ref) {
	m.tx.Put(m.table.Put(item).If("attribute_not_exists(PK)"), check.ErrChanged)
}

func (m *mending) deleteIf(k table.Key, condition string, args ...any) {
	m.tx.Delete(m.table.Delete("PK", k.PK).Range("SK", k.SK).If(condition, args...), check.ErrChanged)
}

func (m *mending) deleteRef(target id.ID, kind table.RefKind, source id.ID) {
	m.deleteIf(m.portal.Ref(target, kind, source), "attribute_exists(PK)")
}

// unlink takes a link out of the record that it goes out from, where it must stand still. The rest of the
// record does not matter: several Links of one category are mended one after the other.
func (m *mending) unlink(r changeset.Record, l changeset.Link) {
	u := m.update(r.ID).Add("version", 1).Set("updated_at", time.Now().UTC().Truncate(time.Millisecond))
	l.RemoveFrom(u)
	m.tx.Update(u, check.ErrChanged)
}

func (m *mending) update(category id.ID) *dynamo.Update {
	k := m.portal.Category(category)
	return m.table.Update("PK", k.PK).Range("SK", k.SK)
}
