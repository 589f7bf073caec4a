package integrity

import (
	"fmt"

	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkLeft: the user of a token, a link or a membership exists.
//
// A deletion deletes the user's record and the owner of the e-mail address in one transaction, and everything else of
// the user after that. So when both are missing, an interrupted deletion has left the item, and the repair deletes it.
// When only one is missing, it was lost, and all records of the user stay. A deletion deletes both sides of a link or a
// membership in one transaction, so a single side was not left by a deletion, and stays, too.
func checkLeft(i *check.Item) {
	k, mirror, of := i.Key, i.Key.Mirror(), userOf(i.Key)
	if k.Kind() == "linked app" || k.Kind() == "membership" || of == (table.Key{}) || !i.Needs(of) {
		return // a linked app or a membership is judged by its other side
	}
	i.Suspect(check.Recheck([]table.Key{k, mirror, of}, func(items table.Items) *check.Fault {
		alone := mirror != (table.Key{}) && items[mirror] == nil
		if items[k] == nil || items[of] != nil || alone {
			return nil
		}
		writes := check.Writes{k: nil}
		if items[mirror] != nil {
			writes[mirror] = nil
		}
		return &check.Fault{
			What:   fmt.Sprintf("%s is left of %s, which does not exist", describe(k), of),
			Writes: writes,
			Did:    "deleted it",
		}
	}))
}

// describe names an item by its key. The key of a token has its digest, so a token is named by its kind only.
func describe(k table.Key) string {
	if k.Mirror() == (table.Key{}) {
		return k.Kind()
	}
	return k.String()
}
