package user

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzReplaceSurrogates shows that a strict parser accepts the text afterwards, and that it means the same to Go's
// parser as before. JSON's grammar allows half of a surrogate pair in an escape (RFC 8259 section 8.2), and many
// parsers refuse it. One client's attribute would make a user unreadable for another client.
func FuzzReplaceSurrogates(f *testing.F) {
	for _, seed := range []string{
		`{"a":"\ud83d","\ude00":["\ud83d\ude00","\ud83d\ud83d\ude00","\\ud83d\ude00","\ud83dx"]}`,
		`["\uD83D\uDE00", "\uDE00\uD83D", "\\\\ud83d", "\u0041\ud83d\n", 1e400, "\""]`, `"\ud83d"`, `7`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) || !utf8.Valid(text) {
			return
		}
		replaced := []byte(string(text))
		replaceSurrogates(replaced)
		if !jsontext.Value(replaced).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Errorf("%q becomes %q", text, replaced)
		}
		if jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) && string(replaced) != string(text) {
			t.Errorf("%q is good, and becomes %q", text, replaced)
		}
		if !reflect.DeepEqual(decoded(t, replaced), decoded(t, text)) {
			t.Errorf("%q becomes %q, which means something else", text, replaced)
		}
	})
}

func decoded(t testing.TB, text []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	// 1e400 is no float64, and numbers have to stay as they are.
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return value
}
