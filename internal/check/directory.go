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

// judgeEntry: mail keys and apps are never deleted, and a portal goes with its entry, in one transaction. So an entry
// alone is all that is known of a record that is lost.
func judgeEntry(entry, record table.Key) func(table.Items) *Fault {
	return func(items table.Items) *Fault {
		if items[entry] == nil || items[record] != nil {
			return nil
		}
		return &Fault{What: fmt.Sprintf("the directory lists %s, which does not exist", record)}
	}
}

func judgeListed(record, entry table.Key) func(table.Items) *Fault {
	return func(items table.Items) *Fault {
		if items[record] == nil || items[entry] != nil {
			return nil
		}
		return &Fault{
			What:   fmt.Sprintf("%s is not listed in the directory", record),
			Writes: Writes{entry: entry},
			Did:    "listed it",
		}
	}
}
