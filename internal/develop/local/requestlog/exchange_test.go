package requestlog

import (
	"strings"
	"testing"

	"frontdesk/internal/develop/local/gateway"
	"frontdesk/internal/prove/expect"
)

// TestWhatIsKeptOfABody that is longer than its recorded beginning, or no text.
func TestWhatIsKeptOfABody(t *testing.T) {
	tests := []struct {
		name, begin string
		size        int
		want        content
	}{
		{"all of it", "a b", 3, content{"a b", 3, false}},
		{"a part of it", "a bc", 5, content{"a bc", 5, true}},
		{"half a letter", "ü \xc3", 5, content{"ü ", 5, true}},
		// A body that is not text is not shown. A NUL cannot be passed to curl, so such a body does not count either.
		{"no text", "\xff\xfe", 2, content{"", 2, true}},
		{"no text in UTF-8", "a\x00", 2, content{"", 2, true}},
	}
	for _, test := range tests {
		if got := newContent(gateway.Text{Begin: test.begin, Size: test.size}); got != test.want {
			t.Errorf("%s: got %d bytes, %+.60v", test.name, len(got.Text), got)
		}
	}
}

// TestReasonOfARefusal shows where the list finds why a request failed. The APIs name it differently, and the mail
// endpoint answers 200 with the status "error".
func TestReasonOfARefusal(t *testing.T) {
	tests := []struct {
		status       int
		answer, want string
	}{
		{200, `{"status":"error","code":"invalid","error":"no recipient"}`, "no recipient"},
		{200, `{"status":"success","error":"x","message":"x"}`, ""},
		{200, `{"message":"hello"}`, ""},
		{200, `[]`, ""},
		{404, `{"message":"Not Found"}`, "Not Found"},
		{422, `{"error":{"deep":1},"message":"name is missing"}`, "name is missing"},
		{401, `{"success":false,"errors":["Invalid login","x"]}`, "Invalid login"},
		{500, `no JSON`, ""},
	}
	for _, test := range tests {
		x := newExchange(gateway.Request{Answer: gateway.Text{Begin: test.answer, Size: len(test.answer)}})
		if got := x.reason(test.status); got != test.want {
			t.Errorf("%d %s: %q, want %q", test.status, test.answer, got, test.want)
		}
	}
}

// TestWhatIsKeptIsBounded shows both limits: 32 MiB of bodies and headers, and 1,000 requests.
func TestWhatIsKeptIsBounded(t *testing.T) {
	var k latest
	exchanges := func() (n int) {
		for _, r := range k.newest() {
			if r.exchange != nil {
				n++
			}
		}
		return n
	}
	// A quarter of the limit, and a header beside it: four of these are too many, three fit.
	for range 5 {
		k.add(entry{exchange: &exchange{
			Body: content{Text: strings.Repeat("x", maxExchanges/4)}, Header: map[string]string{"a": "b"},
		}})
	}
	all := k.newest()
	expect.Equal(t, len(all), 5, "requests")
	expect.Equal(t, exchanges(), 3)
	expect.Not(t, all[0].exchange, nil, "the newest exchange")
	expect.AtMost(t, k.size, maxExchanges)
	for range 2000 {
		k.add(entry{exchange: new(exchange)})
	}
	expect.Equal(t, len(k.newest()), maxRequests, "requests")
	expect.Equal(t, exchanges(), maxRequests)
	expect.Equal(t, k.size, 0)
}
