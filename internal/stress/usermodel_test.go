package main

import "testing"

func TestUserVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		names possible[string]
		shown shownUser
		want  string
	}{
		"as it was written":                    {possible[string]{"a"}, shownUser{7, "a", "a@example.org"}, ""},
		"of a name that may have been written": {possible[string]{"a", "b"}, shownUser{7, "b", "a@example.org"}, ""},
		"of a name before":                     {possible[string]{"b"}, shownUser{7, "a", "a@example.org"}, "can only be"},
		"another user":                         {possible[string]{"a"}, shownUser{8, "a", "a@example.org"}, "can only be"},
		"of another e-mail address":            {possible[string]{"a"}, shownUser{7, "a", "b@example.org"}, "can only be"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &person{id: 7, email: "a@example.org", name: c.names}
			var broken violations
			p.judge(c.shown, &broken)
			broken.want(t, c.want)
		})
	}
}
