package check

import (
	"fmt"

	"frontdesk/internal/table"
)

// Directory finds records that the directory should list and does not, and entries of records that do not exist.
func Directory(i *Item) {
	k, entry := i.Key, table.Listed(i.Key)
	if k.Kind() == table.Entry {
		if record := k.Record(); i.Pair(record) {
			i.Suspect(Recheck([]table.Key{k, record}, judgeEntry(k, record)))
		}
	} else if entry.Kind() == table.Entry && entry.Record() == k && i.Pair(entry) {
		i.Suspect(Recheck([]table.Key{k, entry}, judgeListed(k, entry)))
	}
}

func judgeEntry(entry, record table.Key) func(table.Items) *Fault {
	return func(items table.Items) *Fault {
		if items[entry] == nil || items[record] != nil {
			return nil
		}
		return &Fault{
			What: fmt.Sprintf("the directory lists %s, which does not exist", record),
			Repair: func(tx *table.Tx) string {
				tx.Check(tx.Table().CheckItem(record).IfNotExists(), ErrChanged)
				tx.Delete(tx.Table().DeleteItem(entry).If("attribute_exists(PK)"), ErrChanged)
				return "took it out"
			},
		}
	}
}

func judgeListed(record, entry table.Key) func(table.Items) *Fault {
	return func(items table.Items) *Fault {
		if items[record] == nil || items[entry] != nil {
			return nil
		}
		return &Fault{
			What: fmt.Sprintf("%s is not listed in the directory", record),
			Repair: func(tx *table.Tx) string {
				tx.Check(tx.Table().CheckItem(record).IfExists(), ErrChanged)
				tx.Put(tx.Table().Put(entry).If("attribute_not_exists(PK)"), ErrChanged)
				return "listed it"
			},
		}
	}
}
