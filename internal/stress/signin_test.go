package main

import "testing"

// TestLoginLinkVerdict: the answers to sign-ins with one link, one after the other or at the same time, and what is
// to be said of them.
func TestLoginLinkVerdict(t *testing.T) {
	in := answer{status: 200, body: []byte(`{"data":{"id":7,"name":"a","email":"a@example.org","access_token":"t"}}`)}
	refused, failed, conflict := answer{status: 401}, answer{status: 500}, answer{status: 409}
	for name, c := range map[string]struct {
		answers [][]answer
		tokens  int
		want    string
	}{
		"it works":                              {[][]answer{{in}}, 1, ""},
		"it works once":                         {[][]answer{{in}, {refused}, {refused}}, 1, ""},
		"it works twice":                        {[][]answer{{in}, {in}}, 2, "worked 2 times"},
		"it works for one of two":               {[][]answer{{refused, in}}, 1, ""},
		"it works for both of two":              {[][]answer{{in, in}}, 2, "worked 2 times"},
		"it does not work":                      {[][]answer{{refused}}, 0, "does not work"},
		"it works for none of two":              {[][]answer{{refused, refused}}, 0, "does not work"},
		"it was perhaps used":                   {[][]answer{{failed}, {refused}}, 0, ""},
		"it was perhaps used, by one of two":    {[][]answer{{failed, refused}}, 0, ""},
		"it met others, and works":              {[][]answer{{conflict}, {in}}, 1, ""},
		"it met others, and does not work":      {[][]answer{{conflict}, {refused}}, 0, "does not work"},
		"it works when the first try is lost":   {[][]answer{{failed}, {in}}, 1, ""},
		"it works again, after one that worked": {[][]answer{{failed, in}, {in}}, 2, "worked 2 times"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &person{id: 7, email: "a@example.org", name: possible[string]{"a"}}
			l := new(loginLink)
			var broken violations
			for _, at := range c.answers {
				p.tried(l, at, &broken)
			}
			broken.want(t, c.want)
			if len(p.tokens) != c.tokens {
				t.Errorf("%d agent tokens, want %d", len(p.tokens), c.tokens)
			}
		})
	}
}
