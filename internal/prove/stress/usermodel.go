package main

import (
	"slices"

	"frontdesk/internal/prove/fixture"
)

// userModel is a user that a client has created, as the client knows it.
type userModel struct {
	id    int64
	email string
	name  states[string]
	// password is the last that was set, "" for the first one.
	password string
	tokens   []string // agent tokens that answers gave, and that are good
	ended    []string // agent tokens that have ended
	deleted  bool
	links    []*loginLink

	membership membership
	// failures counts the sign-ins that may have failed. After ten, the API does not check passwords any more.
	failures int
}

// loginLink is a login link from an answer.
type loginLink struct {
	token  string
	tried  int // sign-ins with it
	worked int // sign-ins that gave an agent token
	// unanswered: a 503 said that nobody knows, so the link goes on working.
	unanswered bool
}

// currentPassword returns the password with which the user signs in.
func (u *userModel) currentPassword() string {
	if u.password == "" {
		return fixture.Password
	}
	return u.password
}

// signedOut records that all agent tokens and login links have ended.
func (u *userModel) signedOut() {
	u.ended = append(u.ended, u.tokens...)
	u.tokens, u.links = nil, nil
}

// unused counts the login links that were never tried.
func (u *userModel) unused() (n int) {
	for _, l := range u.links {
		if l.tried == 0 {
			n++
		}
	}
	return n
}

// userView is a user as the API answers it.
type userView struct {
	ID    int64
	Name  string
	Email string
}

// check compares a user in an answer with what was written.
func (u *userModel) check(shown userView, v *violations) {
	if shown.ID != u.id || shown.Email != u.email || !slices.Contains(u.name, shown.Name) {
		v.add("user %d, %s, is shown as %+v; its name can only be one of %q", u.id, u.email, shown, u.name)
	}
}
