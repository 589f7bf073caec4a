package main

import (
	"fmt"
	"slices"

	"frontdesk/internal/fixture"
)

// userModel is a user that a client has created, as the client knows it.
type userModel struct {
	id    int64
	email string
	name  states[string]
	// password is the one that was set last, "" for the one of the beginning.
	password string
	tokens   []string // agent tokens that were answered, and are good
	ended    []string // agent tokens that are good no longer
	deleted  bool
	links    []*loginLink

	membership membership
	// failures counts the sign-ins that may have failed: after ten, passwords are not looked at any more.
	failures int
}

// loginLink is the token of a login link that was answered.
type loginLink struct {
	token  string
	tried  int // sign-ins with it
	worked int // those that were answered with an agent token
	// unanswered: by a 503 one was told that nobody knows, and the link goes on to work.
	unanswered bool
}

func (u *userModel) path() string { return fmt.Sprintf("/%d", u.id) }

// currentPassword is what the user signs in with.
func (u *userModel) currentPassword() string {
	if u.password == "" {
		return fixture.Password
	}
	return u.password
}

// signedOut notes that all agent tokens and login links have ended.
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

// userView is a user as it is answered.
type userView struct {
	ID    int64
	Name  string
	Email string
}

// check holds a user that was read against what was written.
func (u *userModel) check(shown userView, v *violations) {
	if shown.ID != u.id || shown.Email != u.email || !slices.Contains(u.name, shown.Name) {
		v.add("user %d, %s, is shown as %+v; its name can only be one of %q", u.id, u.email, shown, u.name)
	}
}
