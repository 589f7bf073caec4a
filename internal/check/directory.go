package check

import (
	"fmt"

	"frontdesk/internal/table"
)

// Directory is the rule that finds records missing from the directory, and directory entries without a record.
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

// judgeEntry finds an entry without its record. Mail keys and apps are never deleted, and a portal is deleted together
// with its entry. So such an entry is all that is known of a lost record, and stays.
func judgeEntry(entry, record table.Key) func(table.Items) *Fault {
	return func(items table.Items) *Fault {
		if items[entry] == nil || items[record] != nil {
			return nil
		}
		return &Fault{What: fmt.Sprintf("the directory lists %s, which does not exist", record)}
	}
}

// judgeListed finds a record without its entry. The entry only repeats the record's key, so it is made again.
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
