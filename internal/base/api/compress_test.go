package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-lambda-go/events"
)

// ask sends a request with these headers through a function. It returns the answer, and its body without base64
// and gzip.
func ask(
	t testing.TB, f api.Function, headers map[string]string,
) (answer events.APIGatewayV2HTTPResponse, body string) {
	t.Helper()
	answer, content := open(t, f, headers)
	text, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// open is [ask] for an answer that is too large to be held as a whole.
func open(
	t testing.TB, f api.Function, headers map[string]string,
) (answer events.APIGatewayV2HTTPResponse, content io.Reader) {
	t.Helper()
	event, _ := json.Marshal(map[string]any{"version": "2.0", "headers": headers})
	out, err := f.Invoke(t.Context(), event)
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	content = strings.NewReader(answer.Body)
	if answer.IsBase64Encoded {
		content = base64.NewDecoder(base64.StdEncoding, content)
	}
	if answer.Headers["content-encoding"] == "gzip" {
		if content, err = gzip.NewReader(content); err != nil {
			t.Fatal(err)
		}
	}
	return answer, content
}

// answering returns a function that gives the same answer to every request.
func answering(response api.Response, err error) api.Function {
	handle := func(context.Context, *api.Request) (api.Response, error) { return response, err }
	return api.Function{Handle: handle}
}

// TestGzipIsForClientsThatTakeIt shows how Accept-Encoding is read: RFC 9110 section 12.5.3, with weights, the star and
// "identity". A malformed weight counts as 0. "x-gzip" is an old name of gzip (section 8.4.1.3). Every large answer
// varies, whether it is compressed or not.
func TestGzipIsForClientsThatTakeIt(t *testing.T) {
	for accept, want := range map[string]bool{
		"gzip": true, "GZIP": true, "x-gzip": true, "deflate, gzip;q=0.5, br": true, "gzip; q=1.0": true, "*": true,
		"br, *;q=0.1": true, "gzip;Q=1": true, "identity;q=0, *;q=0.001": true, "gzip, identity": true,
		"gzip;q=0.5, identity;q=0.5": true,
		"":                           false, "identity": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false,
		"x-gzipped": false, "*;q=0": false, "gzip;q=0, *": false, "gzip;q=0.5, identity;q=1": false,
		"gzip;q=x": false, "gzip;q=-1": false, "gzip;q=2": false, "gzip;q=NaN": false, "gzip;level=9": false,
		";,;=,": false,
	} {
		value := strings.Repeat("a", 2000)
		answer, body := ask(t, answering(api.Response{Body: value}, nil), map[string]string{"accept-encoding": accept})
		got := answer.Headers["content-encoding"] == "gzip"
		expect.Equal(t, got, want, accept+`: answer.Headers["content-encoding"] == "gzip"`)
		expect.Equal(t, body, `"`+value+"\"\n", accept)
		expect.Equal(t, answer.IsBase64Encoded, want, accept)
		expect.Equal(t, answer.Headers["vary"], "accept-encoding", accept)
		if want {
			expect.AtMost(t, len(answer.Body), 100, accept)
		}
	}
}

// TestWhatIsCompressed shows that JSON over 1 kB is compressed, in errors too, and bytes never are.
func TestWhatIsCompressed(t *testing.T) {
	long := strings.Repeat("é", 600)
	encoded, err := api.Encode(long)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		response api.Response
		err      error
		want     bool
		body     string
	}{
		// 1021 letters, two quotes and a line feed are 1024 bytes: the limit itself.
		"as large as one that is not": {api.Response{Body: strings.Repeat("a", 1021)}, nil, false, `"a`},
		"larger by a byte":            {api.Response{Body: strings.Repeat("a", 1022)}, nil, true, `"a`},
		"an error":                    {api.Response{}, api.Errorf(api.Invalid, "%s", long), true, `{"message":"é`},
		"bytes":                       {api.Response{Body: []byte(long)}, nil, false, "éé"},
		"what is encoded":             {api.Response{Body: encoded}, nil, true, `"é`},
	} {
		// With gzip and without it, the content must be the same.
		answer, body := ask(t, answering(c.response, c.err), map[string]string{"accept-encoding": "gzip"})
		got := answer.Headers["content-encoding"] == "gzip"
		expect.Equal(t, got, c.want, name+`: answer.Headers["content-encoding"] == "gzip"`)
		expect.HasPrefix(t, body, c.body, name)
		answer, body = ask(t, answering(c.response, c.err), nil)
		expect.Equal(t, answer.IsBase64Encoded, false, name+", not compressed: answer.IsBase64Encoded")
		expect.HasPrefix(t, body, c.body, name+", not compressed: body")
		expect.Equal(t, answer.Headers["vary"] == "accept-encoding", c.want, name+", not compressed: it varies")
	}
}

// TestSizesOfAnswersThatAreCompressed shows that the compressed size counts against Lambda's limit, and the JSON's own
// size against MaxPlain.
func TestSizesOfAnswersThatAreCompressed(t *testing.T) {
	refusal := api.Errorf(api.Invalid, "ask for less")
	noise := make([]byte, 5<<20)
	// A xorshift generator, because gzip has to find nothing to compress.
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		noise[i] = byte(x)
	}
	random := base64.StdEncoding.EncodeToString(noise) // gzip can only undo the base64, which saves a quarter
	for name, c := range map[string]struct {
		body   any
		accept string
		status int
		size   int // of the JSON, where the client gets it
	}{
		"over Lambda's limit":                  {packedOf(t, api.MaxAnswer), "gzip", 200, api.MaxAnswer},
		"over it for who takes no gzip":        {packedOf(t, api.MaxAnswer), "identity", 422, 0},
		"as much JSON as there may be":         {listOf(api.MaxPlain), "gzip", 200, api.MaxPlain},
		"more JSON than there may be":          {listOf(api.MaxPlain + 1), "gzip", 422, 0},
		"as much encoded JSON as there may be": {packedOf(t, api.MaxPlain), "gzip", 200, api.MaxPlain},
		"more encoded JSON than there may be":  {packedOf(t, api.MaxPlain+1), "gzip", 422, 0},
		"4.2 MB that are compressed":           {random[:5_600_000], "gzip", 200, 5_600_000 + len("\"\"\n")},
		"too large although it is packed":      {random, "gzip", 422, 0},
	} {
		f := answering(api.Response{Body: c.body, TooLarge: refusal}, nil)
		answer, content := open(t, f, map[string]string{"accept-encoding": c.accept})
		expect.Equal(t, answer.StatusCode, c.status, name)
		if c.status == 200 {
			size, err := io.Copy(io.Discard, content)
			expect.Equal(t, err, nil, name)
			expect.Equal(t, int(size), c.size, name)
		}
	}
}

// listOf returns a list whose JSON, with its line feed, has that many bytes. The list itself occupies little memory.
func listOf(bytes int) []string {
	// With its quotes and a comma, an element is 1024 bytes of JSON.
	list := slices.Repeat([]string{strings.Repeat("a", 1021)}, bytes/1024-1)
	return append(list, strings.Repeat("a", bytes-1024*len(list)-len("[\"\"]\n")))
}

// packedOf returns that many bytes that were compressed before.
func packedOf(t *testing.T, size int) *api.Encoded {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	piece := bytes.Repeat([]byte("a"), 1024)
	for left := size; left > 0; left -= len(piece) {
		w.Write(piece[:min(left, len(piece))])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return api.Gzipped(packed.Bytes())
}

// TestEntityTags shows that a client gets 304 and no body if it has the answer in the encoding that it accepts.
func TestEntityTags(t *testing.T) {
	encode := func(text string) *api.Encoded {
		e, err := api.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	tagOf := func(e *api.Encoded, accept string) string {
		answer, _ := ask(t, answering(api.Response{Body: e}, nil), map[string]string{"accept-encoding": accept})
		return answer.Headers["etag"]
	}
	long, small := encode(strings.Repeat("a", 2000)), encode("a")
	tag, packed := tagOf(long, ""), tagOf(long, "gzip")
	for name, same := range map[string]bool{
		// The keys name the tags, the values say what has to be true of them.
		"of the same answer":         tagOf(encode(strings.Repeat("a", 2000)), "") == tag,
		"of a small one":             tagOf(small, "gzip") == tagOf(small, ""),
		"of another answer":          tagOf(encode(strings.Repeat("a", 1999)+"b"), "") != tag,
		"of the other encoding":      packed != tag,
		"which are strong, in marks": strings.HasPrefix(tag, `"`) && strings.HasSuffix(tag, `"`) && len(tag) == 34,
	} {
		if !same {
			t.Errorf("tags %s: %s, %s", name, tag, packed)
		}
	}
	for name, c := range map[string]struct {
		match string
		has   bool
	}{
		"none": {"", false}, "it": {tag, true}, "it, weak": {"W/" + tag, true}, "any": {"*", true},
		"it in a list":    {`"x", W/"y" ,` + tag, true},
		"it first":        {tag + `,"x"`, true},
		"another":         {`"x"`, false},
		"a part of it":    {tag[:20] + `"`, false},
		"without marks":   {strings.Trim(tag, `"`), false},
		"in another name": {`"x` + tag[1:], false},
		"of the gzip":     {packed, false},
		"an empty one":    {`"", ` + tag, true},
		"one cut off":     {`"x, ` + tag[:10], false},
		"a comma in one":  {`"x,y",` + tag, true},
		"nothing of it":   {",, ,", false},
		"a lone W/":       {"W/", false},
	} {
		f := answering(api.Response{Body: long, Header: map[string]string{"cache-control": "x"}}, nil)
		answer, body := ask(t, f, map[string]string{"if-none-match": c.match})
		want := 200
		if c.has {
			want = 304
		}
		expect.Equal(t, answer.StatusCode, want, name)
		expect.Equal(t, body == "", c.has, name)
		expect.Equal(t, answer.Headers["etag"], tag, name)
		expect.Equal(t, answer.Headers["vary"], "accept-encoding", name)
		expect.Equal(t, answer.Headers["cache-control"], "x", name)
		expect.Equal(t, answer.Headers["content-encoding"], "", name)
	}
}

// TestHeadersOfAFunction shows that a function's headers are on errors too, and that an answer's own replace them.
func TestHeadersOfAFunction(t *testing.T) {
	for _, c := range []struct {
		response api.Response
		err      error
		want     string
	}{
		{api.Response{}, nil, "* no-store"},
		{api.Response{Header: map[string]string{"cache-control": "public"}}, nil, "* public"},
		{api.Response{}, api.Errorf(api.NotFound, "no"), "* no-store"},
	} {
		f := answering(c.response, c.err)
		f.Header = map[string]string{"access-control-allow-origin": "*"}
		answer, _ := ask(t, f, nil)
		got := answer.Headers["access-control-allow-origin"] + " " + answer.Headers["cache-control"]
		if got != c.want {
			t.Errorf("%v: %s", c.err, got)
		}
	}
}

// FuzzNegotiation: whatever a client sends, it gets the whole answer, or 304 if it sent the tag or a star.
func FuzzNegotiation(f *testing.F) {
	f.Add("gzip;q=0.5, identity", `"x", W/"y"`)
	f.Add(";=,;q", `W/"`)
	encoded, err := api.Encode(strings.Repeat("a", 2000))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, accept, match string) {
		headers := map[string]string{"accept-encoding": accept, "if-none-match": match}
		answer, body := ask(t, answering(api.Response{Body: encoded}, nil), headers)
		hash := strings.Trim(answer.Headers["etag"], `"`)
		switch answer.StatusCode {
		case 200:
			if len(body) != 2003 {
				t.Errorf("%d bytes", len(body))
			}
		case 304:
			expect.Equal(t, body, "")
			if !strings.Contains(match, "*") {
				expect.Contains(t, match, hash)
			}
		default:
			t.Errorf("status %d", answer.StatusCode)
		}
	})
}

// BenchmarkGzip measures what compression adds to the time of an answer, and what size it leaves.
func BenchmarkGzip(b *testing.B) {
	for _, size := range []int{5_000, 100_000} {
		list := make([]map[string]any, 0)
		for i := 0; ; i++ {
			list = append(list, map[string]any{
				"id": 3940649673949185 + i*7919, "name": fmt.Sprint("Category ", i), "slug": fmt.Sprint("c-", i),
				"locale": "en", "description": strings.Repeat(fmt.Sprint("What it says ", i%7), i%9), "position": nil,
			})
			if text, _ := api.Marshal(list); len(text) >= size {
				break
			}
		}
		for _, accept := range []string{"identity", "gzip"} {
			b.Run(fmt.Sprintf("bytes=%d/%s", size, accept), func(b *testing.B) {
				f := answering(api.Response{Body: list}, nil)
				event := fmt.Appendf(nil, `{"version":"2.0","headers":{"accept-encoding":%q}}`, accept)
				for b.Loop() {
					out, err := f.Invoke(b.Context(), event)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(out)), "answer-B")
				}
			})
		}
	}
}
