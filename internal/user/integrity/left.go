package integrity

import (
	"fmt"

	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkLeft looks whether the user of a token, a link or a membership exists. A deletion deletes the user's record and
// the owner of the e-mail address in one transaction, and all else of the user after that. So where both are missing,
// the item is what an interrupted deletion has left. Where one of the two is there, the other one is lost, and all that
// is of the user stays. A deletion deletes both sides of a link or of a membership in one transaction: a side that is
// alone was not left by one, so it stays, too.
func checkLeft(i *check.Item) {
	k, mirror, of := i.Key, i.Key.Mirror(), userOf(i.Key)
	if k.Kind() == "linked app" || k.Kind() == "membership" || of == (table.Key{}) || !i.Needs(of) {
		return // a linked app and a membership are deleted with their other sides
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

// describe names an item: by its key, which of a token has its digest, and so by its kind alone.
func describe(k table.Key) string {
	if k.Mirror() == (table.Key{}) {
		return k.Kind()
	}
	return k.String()
}
