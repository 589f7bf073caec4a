package main

import "testing"

// TestLoginLinkOracle: each case is the answers to sign-ins with one link, one after the other or at the same time,
// and the expected violation.
func TestLoginLinkOracle(t *testing.T) {
	in := answer{status: 200, body: []byte(`{"data":{"id":7,"name":"a","email":"a@example.org","access_token":"t"}}`)}
	refused, failed, conflict := answer{status: 401}, answer{status: 500}, answer{status: 409}
	unavailable := answer{status: 503}
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
		"it works again, as nobody knew":        {[][]answer{{unavailable}, {in}, {in}}, 2, ""},
		"it works again, after one that worked": {[][]answer{{failed, in}, {in}}, 2, "worked 2 times"},
	} {
		t.Run(name, func(t *testing.T) {
			u := &userModel{id: 7, email: "a@example.org", name: states[string]{"a"}}
			l := new(loginLink)
			var found violations
			for _, at := range c.answers {
				u.tried(l, at, &found)
			}
			found.want(t, c.want)
			if len(u.tokens) != c.tokens {
				t.Errorf("%d agent tokens, want %d", len(u.tokens), c.tokens)
			}
		})
	}
}
