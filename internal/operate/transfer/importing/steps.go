package importing

import (
	"context"

	"frontdesk/internal/operate/transfer"
)

// steps are what an import does with the records of one kind. A step that is nil does nothing.
type steps struct {
	// gather keeps what other lines may name of a line, also of one with a fault: they do not lack it. It also notes
	// which apps and mail keys the line names.
	gather func(*validator, transfer.Line)
	find   func(*validator, context.Context) error // reads of the table what the checks ask
	check  func(*validator, transfer.Line)         // checks a line, as far as other lines and the table decide about it
	read   func(*Plan, context.Context) error      // reads the rest, when the file has no fault
	write  func(*writer, context.Context) error
	count  func(content) int // how many there are to write
}

// stepsOf has the steps of every kind of record. Each step takes them in the order of [transfer.Kinds], in which each
// names only earlier ones or its own.
var stepsOf = map[transfer.RecordKind]steps{
	transfer.KindPortal: {
		gather: of((*validator).gatherPortal), find: (*validator).readPortals, write: (*writer).writePortals,
		count: content.countPortals,
	},
	transfer.KindUser: {
		gather: of((*validator).gatherUser), find: (*validator).readUsers, write: (*writer).writeUsers,
		count: func(c content) int { return len(c.users) },
	},
	transfer.KindMember: {
		gather: of((*validator).gatherMember), check: of((*validator).checkMember), read: (*Plan).readMembers,
		write: (*writer).writeMembers, count: func(c content) int { return len(c.members) },
	},
	transfer.KindLink: {
		gather: of((*validator).gatherLink), check: of((*validator).checkLink), read: (*Plan).readLinks,
		write: (*writer).writeLinks, count: func(c content) int { return len(c.links) },
	},
	transfer.KindUnsubscribe: {
		gather: of((*validator).gatherUnsubscribe), check: of((*validator).checkUnsubscribe),
		read:  (*Plan).readUnsubscribes,
		write: (*writer).writeUnsubscribes, count: func(c content) int { return len(c.unsubscribes) },
	},
	transfer.KindCategory: {
		gather: of((*validator).gatherCategory), check: of((*validator).checkCategory), read: (*Plan).readCategories,
		write: (*writer).writeCategories, count: content.countCategories,
	},
}

// of makes a step that takes any line from one that takes lines with an R.
func of[R transfer.Record](step func(*validator, transfer.Line, R)) func(*validator, transfer.Line) {
	return func(v *validator, line transfer.Line) { step(v, line, line.Record.(R)) }
}
