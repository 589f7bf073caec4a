package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
)

// MaxLine is the longest line in bytes, several times what the longest record takes.
const MaxLine = 1 << 20

// Position is where a line stands in the file. A caller can read the line again later instead of keeping its record.
type Position struct {
	Line   int // counted from 1
	Offset int64
	Length int // in bytes, with the line feed
}

// Read reads a file. It calls each with every record and its position, or with what is wrong with the line and what
// could be read of its record, which may be nil. An error of each ends the reading. What is wrong with the file as a
// whole is the error of its first or its last line.
func Read(file io.Reader, each func(Position, Record, error) error) error {
	lines := bufio.NewReader(file)
	at, records, ended := Position{}, 0, false
	for {
		line, length, err := nextLine(lines)
		if length == 0 && errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errLongLine) && !errors.Is(err, io.EOF) {
			return err
		}
		at = Position{Line: at.Line + 1, Offset: at.Offset + int64(at.Length), Length: length}
		var record Record
		switch {
		case errors.Is(err, errLongLine):
			err = errLongLine
		case at.Line == 1:
			err = checkFirst(bytes.TrimPrefix(line, []byte("\ufeff"))) // RFC 8259 section 8.1 lets a reader ignore it
			if err != nil {
				return each(at, nil, err) // without a known version, the other lines mean nothing
			}
			continue
		case ended:
			err = errors.New("it follows the end of the file")
		default:
			record, ended, err = parseLine(line, records)
		}
		if record != nil || err != nil {
			records++
			if err := each(at, record, err); err != nil {
				return err
			}
		}
	}
	if !ended {
		at.Line++
		return each(at, nil, errors.New(`the file is not whole: its last line must be {"kind":"end"}`))
	}
	return nil
}

var errLongLine = fmt.Errorf("it is longer than %d bytes", MaxLine)

// nextLine reads a line, and returns its length with the line feed. It keeps nothing else of a line that is too long.
func nextLine(lines *bufio.Reader) (line []byte, length int, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		length += len(part)
		if length <= MaxLine {
			line = append(line, bytes.TrimSuffix(part, []byte("\n"))...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case length > MaxLine && (err == nil || errors.Is(err, io.EOF)):
			return nil, length, errLongLine
		default:
			return line, length, err
		}
	}
}

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
func parseLine(line []byte, records int) (record Record, ended bool, err error) {
	o, err := parseObject(line)
	if err != nil {
		return nil, false, err
	}
	if Kind(o.String("kind")) != kindEnd {
		record, err = decode(o)
		return record, false, err
	}
	told := o.Int("records")
	switch {
	case o.Err() != nil:
		return nil, true, o.Err()
	case o.Has("records") && told != int64(records):
		return nil, true, fmt.Errorf("the file is not whole: it has %d records, its last line says %d", records, told)
	case o.Has("changed"): // read by people only
	}
	return nil, true, unknownFields("the last line", o)
}

// Parse reads the line of a record. It checks that ids, texts and times are well-formed, but not the rules of
// the features.
func Parse(line []byte) (Record, error) {
	o, err := parseObject(line)
	if err != nil {
		return nil, err
	}
	return decode(o)
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

// decode reads a record by its kind. It reports only the first fault of a line, and returns what it could read as well.
func decode(object *api.Object) (Record, error) {
	f := fields{object, nil}
	var record Record
	kind := Kind(f.String("kind"))
	switch kind {
	case KindPortal:
		f.needs("locales")
		record = Portal{
			Account: f.id("account"), Slug: f.text("slug"), Name: f.text("name"), Locales: f.Strings("locales"),
			DefaultLocale: f.String("default_locale"), FormerLocales: f.Strings("former_locales"),
			Public: f.Bool("public"), CreatedAt: f.time("created_at"),
		}
	case KindCategory:
		c := Category{
			Account: f.id("account"), Portal: f.text("portal"), ID: f.id("id"), Name: f.text("name"),
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
			Account: f.id("account"), Portal: f.text("portal"), User: f.id("user"), App: f.optionalID("app"),
			CreatedAt: f.time("created_at"),
		}
	case KindUser:
		record = User{
			ID: f.id("id"), Name: f.text("name"), Email: f.text("email"),
			CustomAttributes: f.RawObject("custom_attributes"), PasswordHash: f.String("password_hash"),
			OwnPasswordHash: f.String("frontdesk_password_hash"), CreatedAt: f.time("created_at"),
			UpdatedAt: f.time("updated_at"),
		}
	case KindLink:
		record = Link{f.id("app"), f.id("user"), f.time("created_at")}
	case KindUnsubscribe:
		record = Unsubscribe{
			MailKey: f.id("mail_key"), List: f.String("list"), Email: f.text("email"), By: f.String("by"),
			At: f.time("at"),
		}
	case "":
		return nil, errors.New("the record has no kind")
	default:
		return nil, fmt.Errorf("the kind %q is not known here", kind)
	}
	switch {
	case f.Err() != nil:
		return record, f.Err()
	case f.wrong != nil:
		return record, f.wrong
	}
	return record, unknownFields("a "+string(kind), object)
}

// fields reads fields of an object. It keeps the first fault that their types do not show.
type fields struct {
	*api.Object
	wrong error
}

// note keeps the first fault, because later ones often follow from it.
func (f *fields) note(format string, args ...any) {
	if f.wrong == nil {
		f.wrong = fmt.Errorf(format, args...)
	}
}

// text reads a string that must be there.
func (f *fields) text(name string) string {
	f.needs(name)
	return f.String(name)
}

// needs notes a fault when a field is missing or null.
func (f *fields) needs(name string) (there bool) {
	there = f.Has(name) && !f.Null(name)
	if !there {
		f.note("%s is missing", name)
	}
	return there
}

// id reads an id that must be there.
func (f *fields) id(name string) id.ID {
	n := f.Int(name)
	if f.needs(name) && !isID(n) {
		f.note("%s must be an integer from 1 to %d", name, id.Max)
	}
	return id.ID(n)
}

// optionalID returns 0 when there is none.
func (f *fields) optionalID(name string) id.ID {
	if f.Null(name) || !f.Has(name) {
		return 0
	}
	return f.id(name)
}

// ids reads a list of ids, without repeats.
func (f *fields) ids(name string) (ids []id.ID) {
	for _, n := range f.Ints(name) {
		if !isID(n) {
			f.note("%s must be integers from 1 to %d", name, id.Max)
		}
		if !slices.Contains(ids, id.ID(n)) {
			ids = append(ids, id.ID(n))
		}
	}
	return ids
}

func isID(n int64) bool { return n >= 1 && id.ID(n) <= id.Max }

// time returns the zero time when there is none. It cuts a time to milliseconds, which is what the API shows.
func (f *fields) time(name string) time.Time {
	text := f.String(name)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		f.note("%s must be a time such as 2026-11-22T09:30:00Z", name)
	}
	return at.UTC().Truncate(time.Millisecond)
}

// unknownFields names the fields of a line that nothing has asked for. A field with a typing error would otherwise
// be lost.
func unknownFields(line string, o *api.Object) error {
	if unknown := o.Unknown(); len(unknown) > 0 {
		return fmt.Errorf("%s has no %s", line, strings.Join(unknown, ", "))
	}
	return nil
}
