package integrity

import (
	"time"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// repair is a transaction that repairs a portal, each of its writes on condition that what was read is still so.
type repair struct {
	table  table.Table
	portal table.Portal
	tx     *table.Tx
}

// repairOf is what a fault of a portal says of its repair.
func repairOf(p table.Portal, do func(*repair) string) func(*table.Tx) string {
	return func(tx *table.Tx) string { return do(&repair{tx.Table(), p, tx}) }
}

// expectVersion: the category is as it was read.
func (re *repair) expectVersion(r changeset.Record) {
	re.expect(r.Key, "version = ?", r.Version)
}

// expectSame: the category of a key is as it was among items, or still not there.
func (re *repair) expectSame(k table.Key, items table.Items) {
	if r, ok := get[changeset.Record](items, k); ok {
		re.expectVersion(r)
	} else {
		re.expectAbsent(k)
	}
}

// expectAbsent: there is no such item.
func (re *repair) expectAbsent(k table.Key) { re.expect(k, "attribute_not_exists(PK)") }

func (re *repair) expect(k table.Key, condition string, args ...any) {
	re.tx.Check(re.table.CheckItem(k).If(condition, args...), check.ErrChanged)
}

func (re *repair) put(item any) {
	re.tx.Put(re.table.Put(item).If("attribute_not_exists(PK)"), check.ErrChanged)
}

func (re *repair) deleteIf(k table.Key, condition string, args ...any) {
	re.tx.Delete(re.table.DeleteItem(k).If(condition, args...), check.ErrChanged)
}

// unlink takes a link out of its source's record, on condition that the record has it. The rest of the record does
// not matter: several links of one category are repaired one after the other.
func (re *repair) unlink(r changeset.Record, l changeset.Link) {
	u := re.table.UpdateItem(r.Key).Add("version", 1).Set("updated_at", time.Now().UTC().Truncate(time.Millisecond))
	l.RemoveFrom(u)
	re.tx.Update(u, check.ErrChanged)
}
