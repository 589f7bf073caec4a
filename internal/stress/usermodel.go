package main

import "slices"

// person is a user that a client has created, as the client knows it. There is only one write that it changes by,
// the rename.
type person struct {
	tenant *tenant // whose app is linked to it
	id     int64
	email  string
	name   possible[string]
	tokens []string // agent tokens that sign-ins have answered
	links  []*loginLink
	// failures counts the sign-ins that may have failed: after ten, passwords are not looked at any more.
	failures int
}

// loginLink is the token of a login link that was answered.
type loginLink struct {
	token  string
	tried  int // sign-ins with it
	worked int // those that were answered with an agent token
}

// unused counts the login links that nobody has tried.
func (p *person) unused() (n int) {
	for _, l := range p.links {
		if l.tried == 0 {
			n++
		}
	}
	return n
}

// shownUser is a user as it is answered.
type shownUser struct {
	ID    int64
	Name  string
	Email string
}

// judge holds a user that was read against what was written.
func (p *person) judge(shown shownUser, broken *violations) {
	if shown.ID != p.id || shown.Email != p.email || !slices.Contains(p.name, shown.Name) {
		broken.add("user %d, %s, is shown as %+v; its name can only be one of %q", p.id, p.email, shown, p.name)
	}
}
