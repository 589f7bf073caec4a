package importing

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
)

// content is what a file has, each line with what it names. Lists are in the order of the file.
type content struct {
	portals      []*portalLine // all that lines name, also those that only the table has
	users        []*userLine
	members      []*memberLine
	links        []*linkLine
	unsubscribes []*unsubscribeLine
}

// records counts the records of each kind.
func (c content) records() map[transfer.RecordKind]int {
	n := map[transfer.RecordKind]int{}
	for kind, steps := range stepsOf {
		n[kind] = steps.count(c)
	}
	return n
}

// Records returns how many records there are to import.
func (p *Plan) Records() (n int) {
	for _, count := range p.records() {
		n += count
	}
	return n
}

// validator validates a file. It keeps what lines may name, and which line is the first about something that is there
// once.
type validator struct {
	Plan
	faults   []Note
	portalOf map[table.Portal]*portalLine
	userOf   map[transfer.ID]*userLine
	taken    map[table.Key]int
	newest   id.ID              // the largest id that the clock has reached
	exists   map[table.Key]bool // the apps and mail keys that lines name; true for those that the table has
}

// Validate finds everything that is wrong with the lines of a file, by line. If there is nothing, it returns a plan.
func Validate(ctx context.Context, t table.Table, lines []transfer.Line, o Options) (*Plan, []Note, error) {
	v := &validator{
		Plan: Plan{table: t, options: o}, portalOf: map[table.Portal]*portalLine{},
		userOf: map[transfer.ID]*userLine{}, taken: map[table.Key]int{}, newest: id.New(), exists: map[table.Key]bool{},
	}
	// Lines name others that may follow them, and what the table has. So all lines are gathered before any is checked.
	for _, line := range lines {
		v.gather(line)
	}
	for _, name := range transfer.Kinds {
		if find := stepsOf[name].find; find != nil {
			if err := find(v, ctx); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := v.readCallers(ctx); err != nil {
		return nil, nil, err
	}
	for _, line := range lines {
		if line.Record == nil {
			continue
		}
		if check := stepsOf[line.Record.Kind()].check; check != nil {
			check(v, line)
		}
	}
	for _, p := range v.portals {
		v.checkTree(p)
	}
	// Nothing is written for a file with a fault: half of a tree would be hard to tell from the tree that was there.
	if len(v.faults) > 0 {
		return nil, sorted(v.faults), nil
	}
	plan := v.Plan // a copy, which does not keep the rest of v in memory
	plan.Existing, plan.LeftOut = sorted(plan.Existing), sorted(plan.LeftOut)
	for _, name := range transfer.Kinds {
		if read := stepsOf[name].read; read != nil {
			if err := read(&plan, ctx); err != nil {
				return nil, nil, err
			}
		}
	}
	return &plan, nil, nil
}

// sorted returns notes in the order of their lines.
func sorted(notes []Note) []Note {
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Compare(a.Line, b.Line) })
	return notes
}

func (v *validator) fault(line int, format string, args ...any) {
	v.faults = append(v.faults, Note{line, fmt.Sprintf(format, args...)})
}

// broken notes the rules of a feature that a line breaks, each as a fault of its own. Those of a field that could not
// be read follow from that.
func (v *validator) broken(line transfer.Line, err error) {
	for _, fault := range api.FaultsOf(err) {
		if !line.Wrong(fault.Field) {
			v.fault(line.Number, "%s", fault.Message)
		}
	}
}

// claim notes that a line is about the item with a key. When an earlier line is about the same one, that is a fault.
func (v *validator) claim(line int, k table.Key, what string) bool {
	before, taken := v.taken[k]
	if taken {
		v.fault(line, "%s is on line %d as well", what, before)
		return false
	}
	v.taken[k] = line
	return true
}

// gather notes the faults of a line, and keeps what its kind gathers.
func (v *validator) gather(line transfer.Line) {
	for _, fault := range line.Faults {
		v.fault(line.Number, "%s", fault.Message)
	}
	if line.Record != nil {
		stepsOf[line.Record.Kind()].gather(v, line)
	}
}

// readCallers reads which of the platform apps and mail keys that lines name are in the table.
func (v *validator) readCallers(ctx context.Context) error {
	for some := range slices.Chunk(slices.Collect(maps.Keys(v.exists)), table.MaxItems) {
		items, err := v.table.Read(ctx, some...)
		if err != nil {
			return err
		}
		for k := range items {
			v.exists[k] = true
		}
	}
	return nil
}

// app returns the key of the app here that takes the place of one of the file.
func (v *validator) app(old transfer.ID) table.Key { return table.App(mapped(v.options.Apps, old)) }

// mapped returns the id here for an id of the file. An id that is no integer, and that no flag maps, is 0 here.
func mapped(to map[transfer.ID]id.ID, old transfer.ID) id.ID {
	if here, ok := to[old]; ok {
		return here
	}
	here, _ := old.Number()
	return here
}

// named returns the id here for an id of the file, as a fault names it.
func named(to map[transfer.ID]id.ID, old transfer.ID) transfer.ID {
	if here, ok := to[old]; ok {
		return transfer.IDOf(here)
	}
	return old
}

// checkApp checks that an app that a line names exists here.
func (v *validator) checkApp(line transfer.Line, app transfer.ID) {
	if !line.Wrong("app") && !v.exists[v.app(app)] {
		v.fault(line.Number, "there is no platform app %s here: --app OLD=NEW says which one takes its place",
			named(v.options.Apps, app))
	}
}

// checkKeptID returns the id that something new, such as a user, is to keep. ok is false when it cannot: it is no
// integer, or the clock has not reached it.
func (v *validator) checkKeptID(line int, old transfer.ID, what string) (n id.ID, ok bool) {
	n, ok = old.Number()
	switch {
	case !ok:
		v.fault(line, "the id %s is no integer from 1 to %d, so --keep-ids cannot keep it", old, id.Max)
	case n > v.newest:
		v.fault(line, "the id %d is from the future: another %s would get it one day", n, what)
		ok = false
	}
	return n, ok
}

// user returns the user that a line names, or nil for one that the file does not have. Ids mean nothing outside their
// file.
func (v *validator) user(line transfer.Line, old transfer.ID) *userLine {
	u := v.userOf[old]
	if u == nil && !line.Wrong("user") {
		v.fault(line.Number, "the file has no user %s", old)
	}
	return u
}
