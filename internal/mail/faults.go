package mail

import (
	"fmt"
	"strings"

	"frontdesk/internal/mail/rejection"
)

// maxListed bounds the faults that one answer lists. The rest are counted.
const maxListed = 20

// faults collects everything that is wrong with a mail, so that the client can correct it in one go.
type faults struct {
	listed     []string
	more       int
	recipients int // faults of recipients' addresses, among the others
}

// add notes a fault as "field message". Beyond [maxListed] it only counts.
func (f *faults) add(field, format string, args ...any) {
	if len(f.listed) == maxListed {
		f.more++
		return
	}
	f.listed = append(f.listed, field+" "+fmt.Sprintf(format, args...))
}

// check notes an error of a field; nil is none.
func (f *faults) check(field string, err error) {
	if err != nil {
		f.add(field, "%s", err)
	}
}

// rejection returns the error for all faults, or nil. Its code is [rejection.InvalidRecipient] only if nothing but
// recipients' addresses is wrong: a program may then drop these and send the rest.
func (f *faults) rejection() error {
	if len(f.listed) == 0 {
		return nil
	}
	code := rejection.Invalid
	if f.recipients == len(f.listed)+f.more {
		code = rejection.InvalidRecipient
	}
	if f.more > 0 {
		f.listed = append(f.listed, fmt.Sprintf("and %d more", f.more))
	}
	return rejection.Errorf(code, "%s", strings.Join(f.listed, "; "))
}

// listSome lists the first [maxListed] of some items, and counts the rest. Cut says that there may be more items.
func listSome(items []string, cut bool) string {
	listed := list(items[:min(len(items), maxListed)])
	more := len(items) - maxListed
	switch {
	case cut:
		return listed + fmt.Sprintf(" and at least %d more", more)
	case more > 0:
		return listed + fmt.Sprintf(" and %d more", more)
	}
	return listed
}

// list joins words with commas.
func list[T ~string](items []T) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = string(item)
	}
	return strings.Join(words, ", ")
}
