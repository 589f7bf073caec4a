package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"
)

// TestParseObjectRefusesWhatIsNotOneObject shows that JSON of another type, and nearly JSON, are errors of the body.
func TestParseObjectRefusesWhatIsNotOneObject(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":               "",
		"white space":           " \n",
		"null":                  "null",
		"an array":              "[]",
		"a string":              `"x"`,
		"a number":              "1",
		"broken off":            `{"a":1`,
		"two objects":           "{} {}",
		"something behind":      "{}x",
		"a trailing comma":      `{"a":1,}`,
		"single quotes":         "{'a':1}",
		"a comment":             "{/**/}",
		"nested beyond all use": strings.Repeat("[", 20000),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := api.ParseObject([]byte(body))
			e, ok := err.(*api.Error)
			if !ok {
				t.Fatalf("error %v", err)
			}
			expect.Equal(t, e.Kind, api.Malformed)
			expect.HasPrefix(t, e.Message, "body ")
		})
	}
}

// TestFieldsOfTheWrongTypeAreNamed shows that the message gives the path of the first wrong value and the type that it
// should have. Null counts as absent, except in an array.
func TestFieldsOfTheWrongTypeAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"number for string":           {`{"s":1}`, "s must be a string"},
		"boolean for string":          {`{"s":true}`, "s must be a string"},
		"object for string":           {`{"s":{}}`, "s must be a string"},
		"string for list":             {`{"list":"a"}`, "list must be an array of strings"},
		"number in list":              {`{"list":["a",2]}`, "list[1] must be a string"},
		"null in list":                {`{"list":[null]}`, "list[0] must be a string"},
		"array for object":            {`{"o":[1]}`, "o must be an object"},
		"wrong type inside an object": {`{"o":{"s":[]}}`, "o.s must be a string"},
		"object for objects":          {`{"os":{}}`, "os must be an array of objects"},
		"string among objects":        {`{"os":[{},"x"]}`, "os[1] must be an object"},
		"null among objects":          {`{"os":[null]}`, "os[0] must be an object"},
		"deep inside":                 {`{"os":[{},{"s":1}]}`, "os[1].s must be a string"},
		"string for integer":          {`{"n":"1"}`, "n must be an integer"},
		"fraction for integer":        {`{"n":1.5}`, "n must be an integer"},
		"an integer over 2^53-1": {
			`{"n":9007199254740992}`, "n must be an integer of at most 9007199254740991",
		},
		"integer for integers":  {`{"ns":1}`, "ns must be an array of integers"},
		"string among integers": {`{"ns":[1,"2"]}`, "ns[1] must be an integer"},
		"null among integers":   {`{"ns":[null]}`, "ns[0] must be an integer"},
		"string for map":        {`{"map":"a"}`, "map must be an object of strings"},
		"array for map":         {`{"map":[1]}`, "map must be an object of strings"},
		"number in map":         {`{"map":{"B":2,"A":1,"C":"c"}}`, "map.A must be a string"},
		"a long name in map": {
			`{"map":{"` + strings.Repeat("é", 1000) + `":1}}`, "map." + strings.Repeat("é", 100) + " must be a string",
		},
		"number for base64": {`{"bytes":1}`, "bytes must be a string of base64"},
		"array for base64":  {`{"bytes":[1]}`, "bytes must be a string of base64"},
		"an array whose keys PHP did not number from 0": {
			`{"os":{"3":{}}}`, `os must be an array of objects, not an object with the key "3" ` +
				"(array_values in PHP and values in Ruby make an array of it)",
		},
		"an object whose key begins with a digit": {`{"os":{"3a":{}}}`, "os must be an array of objects"},
		"the first of several":                    {`{"s":1,"list":2}`, "s must be a string"},
		"nothing wrong": {
			`{"s":"x","list":["y"],"o":{"s":"z"},"os":[{"s":"w"}],"map":{"a":"b"},"bytes":"YQ=="}`, "",
		},
		"null is not given":      {`{"s":null,"list":null,"o":null,"os":null,"map":null,"bytes":null}`, ""},
		"a name in another case": {`{"S":1}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := api.ParseObject([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			read(o)
			got := ""
			if err := o.Err(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

// read reads every field that the objects of these tests have.
func read(o *api.Object) (s string, list []string) {
	s, list = o.String("s"), o.Strings("list")
	o.Int("n")
	o.Ints("ns")
	o.StringMap("map")
	o.Bytes("bytes")
	if inner := o.Object("o"); inner != nil {
		s += inner.String("s")
	}
	for _, inner := range o.Objects("os") {
		s += inner.String("s")
	}
	return s, list
}

// TestTheLastOfRepeatedFieldsCounts shows that repeated names behave as in encoding/json, on the fast path too.
func TestTheLastOfRepeatedFieldsCounts(t *testing.T) {
	o, err := api.ParseObject([]byte(
		`{"s":"a","s":"b","list":["x","y"],"o":{"s":"c"},"os":[{"s":"d"},{"s":"\u00e9"}],"key":"k"}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	s, list := read(o)
	expect.Equal(t, s, "bcdé")
	expect.Equal(t, list, []string{"x", "y"})
	expect.Equal(t, o.Credential("key"), "k")
	if err := o.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestIntegersAndWhatIsThere shows that integers keep all their digits, and that an update can distinguish null from
// absence.
func TestIntegersAndWhatIsThere(t *testing.T) {
	o, err := api.ParseObject([]byte(`{"n":-7,"ns":[1,9007199254740991],"nothing":null}`))
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, o.Int("n"), -7)
	expect.Equal(t, o.Ints("ns"), []int64{1, 9007199254740991})
	if err := o.Err(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]bool{"n": {true, false}, "nothing": {true, true}, "absent": {false, false}} {
		has, null := o.Has(name), o.Null(name)
		expect.Equal(t, has, want[0], name)
		expect.Equal(t, null, want[1], name)
	}
}

// TestMapsOfStrings shows that any name is allowed in such a map, the empty one too, and that null leaves a name out.
func TestMapsOfStrings(t *testing.T) {
	o, err := api.ParseObject([]byte(
		`{"map":{"B":"b","":"nameless","gone":null,"A":"","B":"last"},"empty":{},"null":null}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	got, want := o.StringMap("map"), map[string]string{"A": "", "B": "last", "": "nameless"}
	if !maps.Equal(got, want) || o.Err() != nil {
		t.Errorf("%q, %v; want %q", got, o.Err(), want)
	}
	for _, name := range []string{"empty", "null", "absent"} {
		got := o.StringMap(name)
		expect.Equal(t, got, nil, name+": o.StringMap(name)")
		if err := o.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if unknown := o.Unknown(); len(unknown) > 0 {
		t.Errorf("unknown %q", unknown)
	}
}

// TestAnEmptyArrayIsAnEmptyObject shows that [] is an empty object where a field is one, as PHP writes it. The body
// itself must still be an object.
func TestAnEmptyArrayIsAnEmptyObject(t *testing.T) {
	for value, want := range map[string]string{
		`[]`: "", "[ \n\t]": "",
		`[1]`: "o must be an object", `[[]]`: "o must be an object", `"[]"`: "o must be an object",
	} {
		for kind, read := range map[string]func(*api.Object) bool{
			"an object":                 func(o *api.Object) bool { return o.Object("o") != nil },
			"an object of the caller's": func(o *api.Object) bool { return string(o.RawObject("o")) == "{}" },
			"an object of strings":      func(o *api.Object) bool { return o.StringMap("o") != nil },
		} {
			o, err := api.ParseObject([]byte(`{"o":` + value + `}`))
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, %s: ", value, kind)
			expect.Equal(t, read(o), want == "", what+"it is there")
			if want == "" {
				expect.Equal(t, o.Err(), nil, what+"error")
			} else {
				expect.HasPrefix(t, fmt.Sprint(o.Err()), want, what+"error")
			}
		}
	}
	_, err := api.ParseObject([]byte(`[]`))
	expect.Equal(t, fmt.Sprint(err), "body must be one JSON object", "[] as the body: error")
}

// TestAMapHasAtMost10000Strings shows that the limit of members also holds for maps with names of the caller's.
func TestAMapHasAtMost10000Strings(t *testing.T) {
	for n, want := range map[int]bool{10_000: true, 10_001: false} {
		var body strings.Builder
		for i := range n {
			fmt.Fprintf(&body, `,"%d":"x"`, i)
		}
		o, err := api.ParseObject([]byte(`{"map":{` + body.String()[1:] + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		const refusal = "map must not have more than 10000 elements"
		got := o.StringMap("map")
		what := fmt.Sprintf("%d: ", n)
		ok := o.Err() == nil && len(got) == n
		expect.Equal(t, ok, want, what+"o.Err() == nil && len(got) == n")
		if !ok {
			expect.Equal(t, fmt.Sprint(o.Err()), refusal, what+"error")
		}
	}
}

// TestABodyHasAtMost10000Fields shows that the count ignores commas and braces in names and values. A body with more
// fields is refused before decoding, with next to no allocations, because anybody may send it.
func TestABodyHasAtMost10000Fields(t *testing.T) {
	body := func(n int) []byte {
		fields := []string{`"o":{"a":1,"b":[1,2,{"c":",,,"}]}`, `"s":"\\\",}]\\"`}
		for i := len(fields); i < n; i++ {
			fields = append(fields, fmt.Sprintf(`"{%d,\"":[]`, i))
		}
		return []byte("{" + strings.Join(fields, ",\n") + "}")
	}
	o, err := api.ParseObject(body(10_000))
	if err != nil {
		t.Fatalf("10,000: %v", err)
	}
	expect.Equal(t, o.String("s"), `\",}]\`, "10,000")
	expect.Equal(t, len(o.Unknown()), 9_999, "10,000")
	for _, n := range []int{10_001, 20_000} {
		// Allocations are counted instead of time: a decoder that reads the fields would need thousands.
		many := body(n)
		allocations := testing.AllocsPerRun(1, func() { _, err = api.ParseObject(many) })
		what := fmt.Sprintf("%d: ", n)
		expect.Equal(t, fmt.Sprint(err), "body must not have more than 10000 fields", what+"error")
		expect.AtMost(t, allocations, 10, what)
	}
}

// TestACredentialThatIsNoStringIsItsJSON, which is none: such a credential leads to 401, not to a type error.
func TestACredentialThatIsNoStringIsItsJSON(t *testing.T) {
	for body, want := range map[string]string{
		`{}`: "", `{"key":null}`: "", `{"key":1}`: "1", `{"key":["k"]}`: `["k"]`, `{"key":{}}`: "{}",
	} {
		o, err := api.ParseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		got := o.Credential("key")
		expect.Equal(t, got, want, body+`: o.Credential("key")`)
		if err := o.Err(); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
	}
}

// TestUnknownFieldsMayBeClaimed shows that claimed fields give no warning, and that empty ones count as not given.
func TestUnknownFieldsMayBeClaimed(t *testing.T) {
	o, err := api.ParseObject([]byte(
		`{"s":"x-known","x":1,"x-null":null,"x-text":"","x-list":[ ],"x-object":{ },"y":1,"o":{"x":0},` +
			`"os":[{"x":[0]},{"x":false}],"not read":{"x":1}}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	read(o)
	claimed := o.Claim(func(path string, _ json.RawMessage) bool { return strings.Contains(path, "x") })
	expect.Equal(t, claimed, []string{"o.x", "os[0].x", "os[1].x", "x"})
	expect.Equal(t, o.Unknown(), []string{"not read", "y"})
	all := func(string, json.RawMessage) bool { return true }
	expect.Equal(t, o.Claim(all), []string{"not read", "y"}, "claimed again")
	expect.Equal(t, o.Unknown(), nil, "unknown now")
}

// TestUnknownFieldsAreFoundEverywhere shows that misspelt names are found at every depth, and that case matters.
func TestUnknownFieldsAreFoundEverywhere(t *testing.T) {
	o, err := api.ParseObject([]byte(
		`{"S":"a","s":"a","z":1,"o":{"s":"b","x":null},"os":[{},{"s":"c","y":{"deep":1}}]}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	read(o)
	if got, want := o.Unknown(), []string{"S", "o.x", "os[1].y", "z"}; !slices.Equal(got, want) {
		t.Errorf("unknown %q, want %q", got, want)
	}
}

// manyNames returns an object of n names. Some names and values contain the characters that delimit names elsewhere.
func manyNames(n int) string {
	var text strings.Builder
	for i := range n {
		value := [...]string{"1", `"a\\\":{:,"`, `{"x":{"y":[{"z":1}]}}`, `[":",{"a":1,"b":2}]`}[i%4]
		fmt.Fprintf(&text, `,"\\\":{%d":%s`, i, value)
	}
	return "{" + strings.TrimPrefix(text.String(), ",") + "}"
}

// TestAnObjectHasAtMost10000Names shows that an object with more names costs next to nothing: nothing in it is decoded.
func TestAnObjectHasAtMost10000Names(t *testing.T) {
	for what, c := range map[string]struct {
		before, after string
		read          func(*api.Object)
		message       string
	}{
		"a body":    {"", "", func(*api.Object) {}, "body must not have more than 10000 fields"},
		"an object": {`{"o":`, "}", func(o *api.Object) { o.Object("o") }, "o must not have more than 10000 elements"},
		"an open map": {
			`{"o":`, "}", func(o *api.Object) { o.StringMap("o") }, "o must not have more than 10000 elements",
		},
	} {
		t.Run(what, func(t *testing.T) {
			parse := func(body []byte) error {
				o, err := api.ParseObject(body)
				if err != nil {
					return err
				}
				c.read(o)
				return o.Err()
			}
			body := func(names int) []byte { return []byte(c.before + manyNames(names) + c.after) }
			// An open map wants strings; not all values of manyNames are.
			if err := parse(body(10_000)); err != nil && what != "an open map" {
				t.Errorf("10,000 names: %v", err)
			}
			for _, names := range []int{10_001, 20_000} {
				body := body(names)
				var err error
				made := testing.AllocsPerRun(1, func() { err = parse(body) })
				what := fmt.Sprintf("%d names: ", names)
				expect.Equal(t, fmt.Sprint(err), c.message, what+"error")
				expect.AtMost(t, made, 50, what)
			}
		})
	}
}

// BenchmarkABodyOf100000Names measures a body that anybody may send without a credential.
func BenchmarkABodyOf100000Names(b *testing.B) {
	body := []byte(manyNames(100_000))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := api.ParseObject(body); err == nil {
			b.Fatal("no error")
		}
	}
}

// FuzzObject: every body is either refused as malformed, or all of its fields can be read without a panic.
func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"s":"a","list":["x"],"o":{"s":"c"},"os":[{"s":"d"},null]}`))
	f.Add([]byte(`{"map":{"a":"b","c":null,"d":1},"bytes":"YQ=="}`))
	f.Add([]byte(`{"s":1}`))
	f.Add([]byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := api.ParseObject(body)
		if err != nil {
			e, ok := err.(*api.Error)
			if !ok {
				t.Fatalf("error %v", err)
			}
			expect.Equal(t, e.Kind, api.Malformed)
			return
		}
		read(o)
		o.Unknown()
	})
}
