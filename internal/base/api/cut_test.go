package api

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// bodies are JSON, and what looks like it, with whether it is accepted: every object with no text that is invalid
// UTF-8, up to 10,000 levels and 40 members.
var bodies = map[string]bool{
	`{}`: true, ` { } `: true, "\t{\r\n}": true, `{"a":1}`: true, `{"a":"b"}`: true, `{"a":null,"a":"b"}`: true,
	`{"a":-0.5e+10,"b":[1,2,{"c":[]}],"d":true,"e":false}`: true, `{"":""}`: true,
	`{"a":"\"\\\/\b\f\n\r\t\u00e9\u20AC"}`: true, `{"a":"\ud83d\ude00"}`: true, `{"é":"ü"}`: true,
	`{"a":"\ud83d"}`: true, `{"a":"\ud83dx"}`: true, `{"a":"\ud83d\n"}`: true, `{"a":"\ude00\ud83d\ude00"}`: true,
	`{"a":"\ud83d\u0041"}`: true, `{"\u0061":1}`: true, "{\"a\":\"\u007f\u2028\"}": true,

	``: false, `null`: false, `[]`: false, `"a"`: false, `{`: false, `{"a"}`: false, `{"a":}`: false, `{"a":1,}`: false,
	`{,}`: false, `{"a":1 "b":2}`: false, `{"a":01}`: false, `{"a":1.}`: false, `{"a":.5}`: false, `{"a":+1}`: false,
	`{"a":1e}`: false, `{"a":-}`: false, `{"a":tru}`: false, `{"a":truefalse}`: false, `{"a":"\x"}`: false,
	`{"a":"\u12g4"}`: false, `{"a":"\`: false, `{"a":"\u12`: false, "{\"a\":\"\n\"}": false, `{"a":"b}`: false,
	`{"a":1}}`: false, `{"a":1} x`: false, `{a:1}`: false, `{'a':1}`: false, "{\"a\":\"\x00\"}": false,
	"{\"a\":\"\xff\"}": false, "\ufeff{}": false,
	`{"a":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `}`:   true,
	`{"a":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`: false,
	`{` + strings.Repeat(`"a":1,`, 39) + `"a":1}`:                             true,
	`{` + strings.Repeat(`"a":1,`, 40) + `"a":1}`:                             false,
	`{"a":[` + strings.Repeat("1,", 10_000) + `1]}`:                           true,
}

// TestObjectsAreAccepted: an object is accepted up to the bounds of depth and of members. Anything else is refused,
// and never read wrong.
func TestObjectsAreAccepted(t *testing.T) {
	for text, want := range bodies {
		_, got := cutObject([]byte(text))
		expect.Equal(t, got, want, text[:min(len(text), 80)])
	}
}

// FuzzMembersAreThoseOfEncodingJSON: whatever is accepted reads as encoding/json reads it.
func FuzzMembersAreThoseOfEncodingJSON(f *testing.F) {
	for text := range bodies {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := cutObject(text)
		if !ok {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q is accepted: %v", text, err)
		}
		if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		for name, value := range got {
			var want any
			if err := json.Unmarshal(value, &want); err != nil {
				t.Fatalf("%q: %v", value, err)
			}
			wanted, isText := want.(string)
			got, ok := plainText(value)
			if ok != isText || got != wanted {
				t.Errorf("%q: got %q and %t, want %q and %t", value, got, ok, wanted, isText)
			}
			if isText {
				checkCut(t, text, name, wanted)
			}
		}
	})
}

// checkCut takes a string out of an object, unless there are several of its name.
func checkCut(t *testing.T, text []byte, name, value string) {
	t.Helper()
	cut, rest, ok := cutText(text, name)
	if !ok {
		return
	}
	if cut != value {
		t.Errorf("%q without %q: got %q, want %q", text, name, cut, value)
	}
	var all, left map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil || json.Unmarshal(rest, &left) != nil {
		t.Fatalf("%q without %q is %q", text, name, rest)
	}
	all[name] = json.RawMessage("null")
	if !maps.EqualFunc(all, left, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		t.Errorf("%q without %q is %q", text, name, rest)
	}
}

// TestOneStringIsCut: a string is cut out if exactly one member has its name.
func TestOneStringIsCut(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"body":"x","b":2}`: `{"a":1,"body":null,"b":2}`,
		` {"body" : "x" } `:        ` {"body" : null } `,
		`{"a":{"body":"x"}}`:       "",
		`{"body":"x","body":"y"}`:  "",
		`{"Body":"x"}`:             "",
		`{"body":null}`:            "",
		`{"body":1}`:               "",
		`{"body":"x"`:              "",
	} {
		_, rest, ok := cutText([]byte(text), "body")
		expect.Equal(t, ok, want != "", text)
		expect.Equal(t, string(rest), want, text)
	}
}
