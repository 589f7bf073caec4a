package mail

import (
	"fmt"
	"strings"

	"frontdesk/internal/mail/rejection"
)

// maxListed is the number of faults that one answer lists.
const maxListed = 20

// faults gathers what is wrong with a mail, so that its sender learns all of it at once.
type faults struct {
	listed     []string
	more       int
	recipients int // the faults of recipients' addresses
}

func (f *faults) add(field, format string, args ...any) {
	if len(f.listed) == maxListed {
		f.more++
		return
	}
	f.listed = append(f.listed, field+" "+fmt.Sprintf(format, args...))
}

func (f *faults) check(field string, err error) {
	if err != nil {
		f.add(field, "%s", err)
	}
}

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

// list writes words as a sentence has them.
func list[T ~string](items []T) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = string(item)
	}
	return strings.Join(words, ", ")
}
