package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/expect"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// full returns a record of every kind with all of its fields.
func full() []Record {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	return []Record{
		Portal{
			Account: 1, Slug: "faq", Name: "FAQ", Locales: []string{"en", "es"}, DefaultLocale: "es",
			FormerLocales: []string{"fr"}, Public: true, CreatedAt: at,
		},
		Category{
			Account: 1, Portal: "faq", ID: "2", Name: "<b>", Slug: "b", Locale: "en", Description: new(""),
			Position: new(int64(0)), Parent: "3", Root: "4", Related: []ID{"5", "8e1c/x"}, CreatedAt: at, UpdatedAt: at,
		},
		Member{Account: 1, Portal: "faq", User: "7", App: "8", CreatedAt: at},
		User{
			ID: "7", Name: "Ada", Email: "ada@example.org", CustomAttributes: json.RawMessage(`{"a":"\u0041"}`),
			PasswordHash: "$2b$", OwnPasswordHash: "$argon2id$", Enabled: new(false), Confirmed: new(true),
			Banned: true, Blocked: true, CreatedAt: at, UpdatedAt: at,
		},
		Link{"8", "7", at},
		Unsubscribe{MailKey: "9", List: "news", Email: "ada@example.org", By: "link", At: at},
	}
}

// kindsOf returns the kinds that records have, sorted.
func kindsOf(records []Record) []RecordKind {
	kinds := map[RecordKind]bool{}
	for _, record := range records {
		kinds[record.Kind()] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

// schema reads the published JSON schema of the format.
func schema(t *testing.T) (compiled *jsonschema.Schema, document map[string]any) {
	t.Helper()
	text, err := os.ReadFile("transfer.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	// Without it, formats such as date-time are only annotations.
	compiler.AssertFormat()
	if err := compiler.AddResource("mem:///transfer.json", read); err != nil {
		t.Fatal(err)
	}
	compiled, err = compiler.Compile("mem:///transfer.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled, read.(map[string]any)
}

// TestTheSchemaNamesTheFieldsOfEveryKind shows that schema and code have the same fields, and require the same ones.
func TestTheSchemaNamesTheFieldsOfEveryKind(t *testing.T) {
	compiled, document := schema(t)
	expect.Equal(t, kindsOf(full()), slices.Sorted(slices.Values(Kinds)), "kinds of the full records")
	for _, record := range full() {
		line, err := Encode(record)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		definition := document["$defs"].(map[string]any)[string(record.Kind())].(map[string]any)
		named := slices.Sorted(maps.Keys(definition["properties"].(map[string]any)))
		written := slices.Sorted(maps.Keys(value.(map[string]any)))
		expect.Equal(t, fmt.Sprint(named), fmt.Sprint(written), string(record.Kind()))
		// What the schema requires, the reader requires, too.
		for _, name := range definition["required"].([]any) {
			without := maps.Clone(value.(map[string]any))
			delete(without, name.(string))
			text, err := json.Marshal(without)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, faults := parseLine(text, 0); faults == nil {
				t.Errorf("a %s without %s is read", record.Kind(), name)
			}
		}
	}
}

// TestARecordSaysWhichUsersItNames: an export says which of them are gone. The user of all full records is 7.
func TestARecordSaysWhichUsersItNames(t *testing.T) {
	for _, record := range full() {
		var named []ID
		for field, value := range reflect.ValueOf(record).Fields() {
			if field.Name != "ID" && value.Interface() == any(ID("7")) {
				named = append(named, "7")
			}
		}
		expect.Equal(t, record.NamedUsers(), named, string(record.Kind()))
	}
}

// write returns a file with these records.
func write(t interface{ Fatal(...any) }, records ...Record) string {
	var file bytes.Buffer
	w, err := NewWriter(&file, time.Now().UTC())
	for _, record := range records {
		err = errors.Join(err, w.Write(record))
	}
	if err := errors.Join(err, w.End(nil)); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// read reads a file, and returns its records and what is wrong by line.
func read(t interface{ Fatal(...any) }, file string) (records []Record, wrong map[int]string) {
	wrong = map[int]string{}
	lines, err := Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		var faults []string
		for _, fault := range line.Faults {
			faults = append(faults, fault.Message)
		}
		if faults != nil {
			wrong[line.Number] = strings.Join(faults, "; ")
		} else {
			records = append(records, line.Record)
		}
	}
	return records, wrong
}

// TestWhatIsWrittenIsRead shows that every field of every kind survives a file.
func TestWhatIsWrittenIsRead(t *testing.T) {
	records, wrong := read(t, write(t, full()...))
	expect.Equal(t, fmt.Sprint(wrong), "map[]")
	if !reflect.DeepEqual(records, full()) {
		t.Errorf("read %+v, want %+v", records, full())
	}
}

// TestAnyTextIsReadAsItWasWritten writes and reads random texts and numbers.
func TestAnyTextIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.String()
		c := Category{
			Account: id.ID(rapid.Int64Range(1, int64(id.Max)).Draw(r, "account")), Portal: text.Draw(r, "portal"),
			ID: IDOf(id.Max), Name: text.Draw(r, "name"), Slug: text.Draw(r, "slug"), Locale: text.Draw(r, "locale"),
			Description: rapid.Ptr(text, true).Draw(r, "description"),
			Position:    rapid.Ptr(rapid.Int64Range(-api.MaxInteger, api.MaxInteger), true).Draw(r, "position"),
		}
		records, wrong := read(r, write(r, c))
		if len(wrong) > 0 || !reflect.DeepEqual(records, []Record{c}) {
			r.Fatalf("read %+v and %v, want %+v", records, wrong, c)
		}
	})
}

// TestThePageShowsAFile shows that the file on the page is valid, and has every kind.
func TestThePageShowsAFile(t *testing.T) {
	page, err := os.ReadFile("../../docs/move-in.md")
	if err != nil {
		t.Fatal(err)
	}
	// The block is indented by four spaces and ends at an empty line.
	_, shown, _ := strings.Cut(string(page), "\n    {\"frontdesk_transfer\"")
	shown, _, _ = strings.Cut("    {\"frontdesk_transfer\""+shown, "\n\n")
	records, wrong := read(t, strings.ReplaceAll(shown, "    {", "{")+"\n")
	expect.Equal(t, fmt.Sprint(wrong), "map[]")
	expect.Equal(t, kindsOf(records), slices.Sorted(slices.Values(Kinds)), "kinds on the page")
}

// TestWhatIsWrongIsSaidByLine has a broken file in each case, and the line of each fault.
func TestWhatIsWrongIsSaidByLine(t *testing.T) {
	const (
		first, end = `{"frontdesk_transfer":1}`, `{"kind":"end"}`
		member     = `{"kind":"member","account":1,"portal":"faq","user":7}`
		notWhole   = `the file is not whole: its last line must be {"kind":"end"}`
	)
	for name, c := range map[string]struct {
		lines []string
		want  map[int]string // what is wrong, by line
	}{
		"nothing at all": {nil, map[int]string{1: notWhole}},
		"no record":      {[]string{first, end}, nil},
		"no first line": {
			[]string{member, end}, map[int]string{1: `the first line must be {"frontdesk_transfer":1}`},
		},
		"another version": {
			[]string{`{"frontdesk_transfer":2}`},
			map[int]string{1: "version 2 of the format is not known here; 1 is"},
		},
		"a first line with more": {
			[]string{`{"frontdesk_transfer":1,"x":1}`}, map[int]string{1: "the first line has no x"},
		},
		"no last line": {[]string{first, member}, map[int]string{3: notWhole}},
		"a line that is cut": {
			[]string{first, member[:20]},
			map[int]string{2: "the record is not valid JSON: unexpected end of JSON input at byte 20", 3: notWhole},
		},
		"fewer records than were": {
			[]string{first, `{"kind":"end","records":1}`},
			map[int]string{2: "the file is not whole: it has 0 records, its last line says 1"},
		},
		"a last line with more": {
			[]string{first, `{"kind":"end","x":1}`}, map[int]string{2: "the last line has no x"},
		},
		"a record behind the end": {
			[]string{first, end, member}, map[int]string{3: "it follows the end of the file"},
		},
		"no object": {
			[]string{first, "[]", end}, map[int]string{2: "the record must be one JSON object"},
		},
		"no UTF-8": {
			[]string{first, "{\"kind\":\"\xff\"}", end}, map[int]string{2: "the record is not UTF-8"},
		},
		"no kind": {
			[]string{first, `{"account":1}`, end}, map[int]string{2: "the record has no kind"},
		},
		"an unknown kind": {
			[]string{first, `{"kind":"article"}`, end}, map[int]string{2: `the kind "article" is not known here`},
		},
		"unknown fields": {
			[]string{first, strings.Replace(member, "{", `{"y":1,"User":2,`, 1), end},
			map[int]string{2: "a member has no User, y"},
		},
		"a field that is missing": {
			[]string{first, strings.Replace(member, `"faq"`, "null", 1), end}, map[int]string{2: "portal is missing"},
		},
		"a field of another type": {
			[]string{first, strings.Replace(member, "1", `"1"`, 1), end},
			map[int]string{2: "account must be an integer"},
		},
		"an id that is too large": {
			[]string{first, strings.Replace(member, "7", "9007199254740992", 1), end},
			map[int]string{2: "user must be an integer of at most 9007199254740991"},
		},
		"a time that is none": {
			[]string{first, `{"kind":"link","app":1,"user":7,"created_at":"today"}`, end},
			map[int]string{2: "created_at must be a time with its zone, such as 2026-11-22T09:30:00Z or " +
				"2026-11-22 09:30:00.123+00, or the milliseconds since 1970"},
		},
		"every field that is wrong": {
			[]string{first, `{"kind":"link","app":0,"created_at":"2026-11-22 09:30","x":1}`, end},
			map[int]string{2: "app must be an integer from 1 to 9007199254740991, or a text; user is missing; " +
				"created_at must be a time with its zone, such as 2026-11-22T09:30:00Z or " +
				"2026-11-22 09:30:00.123+00, or the milliseconds since 1970; a link has no x"},
		},
		"several types that are wrong": {
			[]string{first, `{"kind":"portal","account":"1","slug":7,"name":"FAQ","locales":"en","public":1}`, end},
			map[int]string{2: "account must be an integer; slug must be a string; " +
				"locales must be an array of strings; public must be true or false"},
		},
		"milliseconds in quotes, as Firebase writes them": {
			[]string{first, `{"kind":"link","app":1,"user":7,"created_at":"1700000000000"}`, end}, nil},
		"seconds in quotes": {
			[]string{first, `{"kind":"link","app":1,"user":7,"created_at":"1700000000"}`, end},
			map[int]string{2: "created_at must be milliseconds since 1970, and these seem to be seconds"}},
		"every line that is wrong": {
			[]string{first, `{"kind":"x"}`, member, `{"kind":"y"}`, end},
			map[int]string{2: `the kind "x" is not known here`, 4: `the kind "y" is not known here`},
		},
		"line ends of other systems": {[]string{first + "\r", member + "\r", end + "\r"}, nil},
		"a byte order mark":          {[]string{"\ufeff" + first, member, end}, nil},
		"a byte order mark that is not first": {[]string{first, "\ufeff" + member, end}, map[int]string{
			2: "the record is not valid JSON: invalid character 'ï' looking for beginning of value at byte 1",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			file := strings.Join(c.lines, "\n")
			if len(c.lines) > 0 {
				file += "\n"
			}
			_, wrong := read(t, file)
			expect.Equal(t, fmt.Sprint(wrong), fmt.Sprint(c.want))
		})
	}
}

// FuzzRead shows that any file is read to its end, and that what is read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(write(f, full()...)))
	f.Add([]byte("{\"frontdesk_transfer\":1}\n{\"kind\":\"category\",\"related_category_ids\":[1,1]}\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		records, _ := read(t, string(file))
		again, wrong := read(t, write(t, records...))
		expect.Equal(t, fmt.Sprint(wrong), "map[]")
		expect.Len(t, again, len(records), "records")
	})
}
