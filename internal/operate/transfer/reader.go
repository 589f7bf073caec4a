package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
)

// MaxFile is the size of the largest file, in bytes. Its records are kept in memory, where small ones take several
// times as much.
const MaxFile = 256 << 20

var errLargeFile = fmt.Errorf("it is larger than %d MiB: cut it into files that each have the first line, and "+
	`{"kind":"end"} as the last; all categories of a portal belong into one file, and a user into each file with `+
	"lines that name the user", MaxFile>>20)

// Line is a line of a file that has a record, or a fault.
type Line struct {
	Number int         // counted from 1
	Record Record      // what could be read of the record; nil if nothing
	Faults []api.Fault // what is wrong with the line: one for each field that could not be read
}

// Wrong reports whether one of the fields could not be read.
func (l Line) Wrong(fields ...string) bool {
	return slices.ContainsFunc(l.Faults, func(f api.Fault) bool { return slices.Contains(fields, f.Field) })
}

// Read reads a whole file. It returns an error if the file cannot be read, or is larger than [MaxFile]. What is wrong
// with the file's content is a fault of a line, which may be its first line, or the one after its last.
func Read(file io.Reader) ([]Line, error) {
	limited := &io.LimitedReader{R: file, N: MaxFile + 1}
	reader := bufio.NewReader(limited)
	var lines []Line
	records, ended, number := 0, false, 0
	for {
		text, err := reader.ReadBytes('\n')
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case limited.N == 0:
			return nil, errLargeFile
		case len(text) == 0 && !ended:
			return append(lines, Line{Number: number + 1, Faults: api.FaultsOf(errNotWhole)}), nil
		case len(text) == 0:
			return lines, nil
		}
		text = bytes.TrimSuffix(text, []byte("\n"))
		number++
		line := Line{Number: number}
		switch {
		case number == 1:
			err = checkFirst(bytes.TrimPrefix(text, []byte("\ufeff"))) // RFC 8259 section 8.1 lets a reader ignore it
			if err != nil {
				// Without a known version, the other lines mean nothing.
				return []Line{{Number: 1, Faults: api.FaultsOf(err)}}, nil
			}
		case ended:
			line.Faults = api.FaultsOf(errors.New("it follows the end of the file"))
		default:
			line.Record, ended, line.Faults = parseLine(text, records)
		}
		if line.Record != nil || line.Faults != nil {
			records++
			lines = append(lines, line)
		}
	}
}

var errNotWhole = errors.New(`the file is not whole: its last line must be {"kind":"end"}`)

// checkFirst refuses a file of another format or version.
func checkFirst(line []byte) error {
	o, err := api.ParseObject(line)
	if err != nil || !o.Has("frontdesk_transfer") {
		return errors.New(`the first line must be {"frontdesk_transfer":1}`)
	}
	version := o.Int("frontdesk_transfer")
	// Asking for a field makes it known; only people read this one.
	_ = o.String("at")
	switch {
	case o.Err() != nil:
		return o.Err()
	case version != Version:
		return fmt.Errorf("version %d of the format is not known here; %d is", version, Version)
	}
	return unknownFields("the first line", o)
}

// parseLine reads a record, or the last line. The last line may say how many records come before it, which shows
// whether lines in between were lost.
func parseLine(line []byte, records int) (record Record, ended bool, faults []api.Fault) {
	o, err := parseObject(line)
	if err != nil {
		return nil, false, api.FaultsOf(err)
	}
	f := &fields{Object: o}
	if kind := RecordKind(f.String("kind")); kind != kindEnd {
		record = f.decode(kind)
		return record, false, f.faults
	}
	total := f.Int("records")
	if f.Has("records") && total != int64(records) {
		f.note("records", "the file is not whole: it has %d records, its last line says %d", records, total)
	}
	f.MarkKnown("changed") // people read it
	f.noteUnknown("the last line")
	return nil, true, f.faults
}

func parseObject(line []byte) (*api.Object, error) {
	// encoding/json would replace bytes that are not UTF-8 without an error.
	if !utf8.Valid(line) {
		return nil, errors.New("the record is not UTF-8")
	}
	o, err := api.ParseObject(line)
	if err != nil {
		// The parser is that of requests, and speaks of a body.
		return nil, fmt.Errorf("the record %s", strings.TrimPrefix(err.Error(), "body "))
	}
	return o, nil
}

// decode reads a record by its kind. It checks that ids, texts and times are well-formed, but not the rules of the
// features. It notes what it could not read, and returns the rest; nil if the kind is not known.
func (f *fields) decode(kind RecordKind) (record Record) {
	switch kind {
	case KindPortal:
		f.needs("locales")
		record = Portal{
			Account: f.account(), Slug: f.text("slug"), Name: f.text("name"), Locales: f.Strings("locales"),
			DefaultLocale: f.String("default_locale"), FormerLocales: f.Strings("former_locales"),
			Public: f.Bool("public"), CreatedAt: f.time("created_at"),
		}
	case KindCategory:
		c := Category{
			Account: f.account(), Portal: f.text("portal"), ID: f.id("id"), Name: f.text("name"),
			Slug: f.text("slug"), Locale: f.String("locale"), Parent: f.optionalID("parent_category_id"),
			Root: f.optionalID("associated_category_id"), Related: f.ids("related_category_ids"),
			CreatedAt: f.time("created_at"), UpdatedAt: f.time("updated_at"),
		}
		// An empty description is another value than none, and so is a position of 0.
		if description := f.String("description"); !f.Null("description") && f.Has("description") {
			c.Description = &description
		}
		if position := f.Int("position"); !f.Null("position") && f.Has("position") {
			c.Position = &position
		}
		record = c
	case KindMember:
		record = Member{
			Account: f.account(), Portal: f.text("portal"), User: f.id("user"), App: f.optionalID("app"),
			CreatedAt: f.time("created_at"),
		}
	case KindUser:
		record = User{
			ID: f.id("id"), Name: f.text("name"), Email: f.text("email"),
			// A copy does not keep the whole line in memory.
			CustomAttributes: slices.Clone(f.RawObject("custom_attributes")), PasswordHash: f.String("password_hash"),
			OwnPasswordHash: f.String("frontdesk_password_hash"), Enabled: f.optionalBool("enabled"),
			Confirmed: f.optionalBool("confirmed"), Banned: f.Bool("banned"), Blocked: f.Bool("blocked"),
			CreatedAt: f.time("created_at"), UpdatedAt: f.time("updated_at"),
		}
	case KindLink:
		record = Link{f.id("app"), f.id("user"), f.time("created_at")}
	case KindUnsubscribe:
		record = Unsubscribe{
			MailKey: f.id("mail_key"), List: f.String("list"), Email: f.text("email"), By: f.String("by"),
			At: f.time("at"),
		}
	case "":
		f.note("kind", "the record has no kind")
		return nil
	default:
		f.note("kind", "the kind %q is not known here", kind)
		return nil
	}
	f.noteUnknown("a " + string(kind))
	return record
}

// fields reads fields of an object, and keeps the first fault of each: later ones follow from it.
type fields struct {
	*api.Object
	faults []api.Fault
}

// note keeps a fault of a field, unless it has one.
func (f *fields) note(field, format string, args ...any) {
	if !slices.ContainsFunc(f.faults, func(known api.Fault) bool { return known.Field == field }) {
		f.faults = append(f.faults, api.Fault{Field: field, Message: fmt.Sprintf(format, args...)})
	}
}

// noteUnknown notes the fields that nothing has asked for.
func (f *fields) noteUnknown(line string) {
	if err := unknownFields(line, f.Object); err != nil {
		f.note("", "%s", err)
	}
}

// readBy reads a field by a method of [api.Object], and notes that it has another type.
func readBy[T any](f *fields, name string, by func(name string) T) T {
	value := by(name)
	if err := f.TakeErr(); err != nil {
		f.note(name, "%s", err)
	}
	return value
}

// These read a field as the methods of [api.Object] do.
func (f *fields) String(name string) string    { return readBy(f, name, f.Object.String) }
func (f *fields) Strings(name string) []string { return readBy(f, name, f.Object.Strings) }
func (f *fields) Bool(name string) bool        { return readBy(f, name, f.Object.Bool) }
func (f *fields) Int(name string) int64        { return readBy(f, name, f.Object.Int) }
func (f *fields) RawObject(name string) json.RawMessage {
	return readBy(f, name, f.Object.RawObject)
}

// text reads a string that must be there.
func (f *fields) text(name string) string {
	f.needs(name)
	return f.String(name)
}

// needs notes a fault when a field is missing or null.
func (f *fields) needs(name string) (there bool) {
	there = f.Raw(name) != nil
	if !there {
		f.note(name, "%s is missing", name)
	}
	return there
}

// account reads the number of an account, which is the same here as where the file comes from.
func (f *fields) account() id.ID {
	n := f.Int("account")
	if f.needs("account") && (n < 1 || id.ID(n) > id.Max) {
		f.note("account", "account must be an integer from 1 to %d", id.Max)
	}
	return id.ID(n)
}

// id reads an id that must be there.
func (f *fields) id(name string) ID {
	f.needs(name)
	return f.optionalID(name)
}

// optionalID returns the zero ID when there is none.
func (f *fields) optionalID(name string) ID {
	value := f.Raw(name)
	if value == nil {
		return ""
	}
	parsed, err := parseID(value)
	if err != nil {
		f.note(name, "%s %s", name, err)
	}
	return parsed
}

// ids reads a list of ids, without repeats.
func (f *fields) ids(name string) (ids []ID) {
	value := f.Raw(name)
	var list []json.RawMessage
	if value != nil && json.Unmarshal(value, &list) != nil {
		f.note(name, "%s must be an array of ids", name)
	}
	seen := map[ID]bool{}
	for i, value := range list {
		parsed, err := parseID(value)
		if err != nil {
			f.note(name, "%s[%d] %s", name, i, err)
		}
		if !seen[parsed] {
			ids = append(ids, parsed)
		}
		seen[parsed] = true
	}
	return ids
}

// optionalBool returns nil when there is none.
func (f *fields) optionalBool(name string) *bool {
	if is := f.Bool(name); f.Raw(name) != nil {
		return &is
	}
	return nil
}

// time returns the zero time when there is none.
func (f *fields) time(name string) time.Time {
	value := f.Raw(name)
	if value == nil || string(value) == `""` {
		return time.Time{}
	}
	at, err := parseTime(value)
	if err != nil {
		f.note(name, "%s %s", name, err)
	}
	return at
}

// unknownFields names the fields of a line that nothing has asked for. A field with a typing error would otherwise
// be lost.
func unknownFields(line string, o *api.Object) error {
	if unknown := o.Unknown(); len(unknown) > 0 {
		return fmt.Errorf("%s has no %s", line, strings.Join(unknown, ", "))
	}
	return nil
}
