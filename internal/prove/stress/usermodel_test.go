package main

import "testing"

// TestTheUserOracleKnowsEachStateThatMayBe: a name is right if any possible state has it. Id and address have to
// be exact.
func TestTheUserOracleKnowsEachStateThatMayBe(t *testing.T) {
	type names = states[string]
	for name, c := range map[string]struct {
		names names
		shown userView
		want  string
	}{
		"as it was written":                    {names{"a"}, userView{7, "a", "a@example.org"}, ""},
		"of a name that may have been written": {names{"a", "b"}, userView{7, "b", "a@example.org"}, ""},
		"of a name before":                     {names{"b"}, userView{7, "a", "a@example.org"}, "can only be"},
		"another user":                         {names{"a"}, userView{8, "a", "a@example.org"}, "can only be"},
		"of another e-mail address":            {names{"a"}, userView{7, "a", "b@example.org"}, "can only be"},
	} {
		t.Run(name, func(t *testing.T) {
			u := &userModel{id: 7, email: "a@example.org", name: c.names}
			var found violations
			u.check(c.shown, &found)
			found.want(t, c.want)
		})
	}
}
