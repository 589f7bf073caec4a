package api_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"
)

// bytesOf reads a field of base64, given the JSON of its value.
func bytesOf(t *testing.T, value string) (got []byte, message string) {
	t.Helper()
	o, err := api.ParseObject([]byte(`{"file":` + value + `}`))
	if err != nil {
		t.Fatal(err)
	}
	got = o.Bytes("file")
	if err := o.Err(); err != nil {
		return nil, err.Error()
	}
	return got, ""
}

// TestBase64IsReadAsProgramsWriteIt, and what is wrong is told with its place.
func TestBase64IsReadAsProgramsWriteIt(t *testing.T) {
	t.Parallel()
	const wrong = "file must be base64; character "
	for name, c := range map[string]struct{ value, want, message string }{
		"the standard alphabet":             {`"AP+/"`, "\x00\xff\xbf", ""},
		"a slash that PHP escapes":          {`"AP+\/"`, "\x00\xff\xbf", ""},
		"the alphabet of URLs":              {`"AP-_"`, "\x00\xff\xbf", ""},
		"padding":                           {`"YQ=="`, "a", ""},
		"no padding":                        {`"YQ"`, "a", ""},
		"half of the padding":               {`"YQ="`, "a", ""},
		"lines":                             {`"YW\r\nJj\n"`, "abc", ""},
		"lines without padding":             {`"YW\nI\n"`, "ab", ""},
		"a data: URL":                       {`"data:image/png;base64,YWJj"`, "abc", ""},
		"one of the least":                  {`"DATA:;BASE64,YQ"`, "a", ""},
		"one with a slash that PHP escapes": {`"data:image\/png;base64,YQ=="`, "a", ""},
		"an empty string":                   {`""`, "", ""},
		"a data: URL of nothing":            {`"data:;base64,"`, "", ""},
		"null":                              {"null", "", ""},

		"a space":                {`"YW Jj"`, "", wrong + "3 is ' ', which base64 does not have"},
		"a space of a data: URL": {`"data:;base64,YW Jj"`, "", wrong + "16 is ' ', which base64 does not have"},
		"text":                   {`"Hello, Ada"`, "", wrong + "6 is ',', which base64 does not have"},
		"text that is not ASCII": {`"Grüße"`, "", wrong + "3 is 'ü', which base64 does not have"},
		"text behind such text":  {`"data:;é;base64,ü"`, "", wrong + "16 is 'ü', which base64 does not have"},
		"a data: URL without base64": {
			`"data:text/plain,Hello"`, "", "file must be base64; a data: URL must have ;base64, before its base64",
		},
		"a data: URL without a comma": {
			`"data:text"`, "", "file must be base64; a data: URL must have ;base64, before its base64",
		},
		"two texts in one": {`"YQ==YQ=="`, "", "file must be base64; at character 5 it goes on behind its padding (=)"},
		"a part": {
			`"YWJjZ"`, "", "file must be base64; it is cut off: 5 characters make no whole number of bytes",
		},
		"a number":          {"1", "", "file must be a string of base64"},
		"an array of bytes": {"[1]", "", "file must be a string of base64"},
	} {
		got, message := bytesOf(t, c.value)
		expect.Equal(t, string(got), c.want, name)
		expect.Equal(t, message, c.message, name+": error")
	}
	// An empty file is told apart from none.
	for value, want := range map[string]bool{`""`: true, `"data:;base64,"`: true, "null": false} {
		got, _ := bytesOf(t, value)
		expect.Equal(t, got != nil, want, value+" is a file")
	}
}

// FuzzBase64: whatever the standard decoder accepts is read the same here, in each alphabet, with and without padding.
func FuzzBase64(f *testing.F) {
	f.Add([]byte("\x00\xff\xbf"), "YW Jj")
	f.Add([]byte("a"), "data:;base64,YQ")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		for _, coding := range []*base64.Encoding{
			base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding,
		} {
			got, message := bytesOf(t, `"data:;base64,`+coding.EncodeToString(file)+`"`)
			expect.Equal(t, message, "", "error")
			expect.Equal(t, string(got), string(file), "file")
		}
		value, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		bytesOf(t, string(value)) // ends without a panic
	})
}
