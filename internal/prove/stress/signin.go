package main

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"frontdesk/internal/prove/fixture"
)

const (
	maxLinks = 6 // untried links of a user
	// maxFailures is how many sign-ins may fail before the API stops checking passwords.
	maxFailures = 10
)

// getLoginLink makes a login link for a user, and keeps it for later. A user has a limited number of unused links, so
// that the end of the load does not have too many to verify.
func (c *client) getLoginLink(ctx context.Context) {
	u, ok := c.recentUser()
	if !ok || u.unused() >= maxLinks {
		return
	}
	a := c.callUsers(ctx, userLogin, nil, u.id)
	if !a.ok() {
		return
	}
	link, err := url.Parse(read[struct{ URL string }](a).URL)
	if err != nil || link.Query().Get("email") != u.email {
		c.violations.add("the login link of %s: %s", u.email, a)
		return
	}
	u.links = append(u.links, &loginLink{token: tokenOf(a)})
}

// tokenOf returns the token of the login link in an answer.
func tokenOf(a answer) string {
	return fixture.TokenOfLink(read[struct{ URL string }](a).URL)
}

// signInByLink signs in by a login link, sometimes twice at once, sometimes a second time later. It must work once.
func (c *client) signInByLink(ctx context.Context) {
	u, ok := c.recentUser()
	if !ok {
		return
	}
	l, ok := choose(c.rng, u.links)
	if !ok || l.tried == 0 && c.chance(0.3) { // some are kept until the end
		return
	}
	again, fewFailures := l.tried > 0, u.failures < maxFailures-2
	if again && !fewFailures {
		return
	}
	answers := make([]answer, 1)
	if !again && fewFailures && c.chance(0.3) {
		answers = make([]answer, 2)
	}
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() { answers[i] = c.signIn(ctx, u, "sso_auth_token", l.token) })
	}
	wait.Wait()
	u.tried(l, answers, c.violations)
}

// tried records the answers to simultaneous sign-ins with a link.
func (u *userModel) tried(l *loginLink, answers []answer, v *violations) {
	tried, refused := 0, 0
	for _, a := range answers {
		switch {
		case a.ok():
			l.worked++
			u.signedIn(a, v)
		case a.status == http.StatusConflict:
			// It may still be counted as a failure. Nothing else has happened.
			u.failures++
			continue
		default:
			l.unanswered = l.unanswered || a.status == http.StatusServiceUnavailable
			u.failures++
			if a.status == http.StatusUnauthorized {
				refused++
			}
		}
		tried++
	}
	if l.tried == 0 && tried > 0 && refused == tried {
		v.add("a login link of %s that was never used does not work: %s", u.email, answers)
	}
	l.tried += tried
	if l.worked > 1 && !l.unanswered {
		v.add("a login link of %s worked %d times", u.email, l.worked)
	}
}

// signInByPassword signs in with the current password. It leaves users alone whose password the API may no longer
// check. For a shared user 401 is no violation, because the failed sign-ins of other clients count as well.
func (c *client) signInByPassword(ctx context.Context) {
	u, ok := c.recentUser()
	if !ok || u.failures >= maxFailures {
		return
	}
	a := c.signIn(ctx, u, "password", u.currentPassword())
	switch {
	case a.ok():
		u.signedIn(a, c.violations)
	case a.status == http.StatusUnauthorized && !u.shared():
		c.violations.add("the password of %s does not work: %s", u.email, a)
	default:
		u.failures++
	}
}

// signIn signs in by a field of the request: "password" or "sso_auth_token".
func (c *client) signIn(ctx context.Context, u *userModel, field, secret string) answer {
	body := object{"email": u.email, field: secret}
	return c.do(ctx, request{endpoint: userSignIn, body: body})
}

// signedIn records the agent token of a sign-in.
func (u *userModel) signedIn(a answer, v *violations) {
	in := read[struct {
		Data struct {
			userView
			AccessToken string `json:"access_token"`
		}
	}](a)
	u.check(in.Data.userView, v)
	u.tokens = append(u.tokens, in.Data.AccessToken)
}
