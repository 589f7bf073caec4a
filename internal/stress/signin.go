package main

import (
	"context"
	"net/http"
	"net/url"
	"sync"
)

const (
	maxLinks = 6 // of a person that nobody has tried
	// maxFailures is after how many failed sign-ins a password is not looked at any more.
	maxFailures = 10
)

func (c *client) getLoginLink(ctx context.Context) {
	p, ok := c.recent()
	if !ok || p.unused() >= maxLinks {
		return
	}
	a := c.do(ctx, request{
		endpoint: userLogin, method: http.MethodGet, path: p.path("/login"), token: c.tenant.appToken, may: []int{http.StatusConflict},
	})
	if !a.ok() {
		return
	}
	link, err := url.Parse(read[struct{ URL string }](a).URL)
	if err != nil || link.Query().Get("email") != p.email {
		c.broken.add("the login link of %s: %s", p.email, a)
		return
	}
	p.links = append(p.links, &loginLink{token: link.Query().Get("sso_auth_token")})
}

// signInByLink signs in by a login link: sometimes twice at once, sometimes once more. It works once.
func (c *client) signInByLink(ctx context.Context) {
	p, ok := c.recent()
	if !ok {
		return
	}
	l, ok := choose(c.rng, p.links)
	if !ok || l.tried == 0 && c.chance(0.3) { // some are kept until the end
		return
	}
	again := l.tried > 0
	if again && p.failures >= maxFailures-2 {
		return
	}
	at := 1
	if !again && p.failures < maxFailures-2 && c.chance(0.3) {
		at = 2
	}
	answers := make([]answer, at)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() { answers[i] = c.signIn(ctx, map[string]string{"email": p.email, "sso_auth_token": l.token}) })
	}
	wait.Wait()
	p.tried(l, answers, c.broken)
}

// tried notes what came of sign-ins with a link at the same time.
func (p *person) tried(l *loginLink, answers []answer, broken *violations) {
	tried, refused := 0, 0
	for _, a := range answers {
		switch {
		case a.ok():
			l.worked++
			p.signedIn(a, broken)
		case a.status == http.StatusConflict:
			continue // nothing has happened
		default:
			p.failures++
			if a.status == http.StatusUnauthorized {
				refused++
			}
		}
		tried++
	}
	if l.tried == 0 && tried > 0 && refused == tried {
		broken.add("a login link of %s that nobody has used does not work: %s", p.email, answers)
	}
	if l.tried += tried; l.worked > 1 {
		broken.add("a login link of %s worked %d times", p.email, l.worked)
	}
}

func (c *client) signInByPassword(ctx context.Context) {
	p, ok := c.recent()
	if !ok || p.failures >= maxFailures {
		return
	}
	a := c.signIn(ctx, map[string]string{"email": p.email, "password": password})
	switch {
	case a.ok():
		p.signedIn(a, c.broken)
	case a.status == http.StatusUnauthorized && !p.common():
		c.broken.add("the password of %s does not work: %s", p.email, a)
	}
}

func (c *client) signIn(ctx context.Context, proof map[string]string) answer {
	return c.do(ctx, request{
		endpoint: userSignIn, method: http.MethodPost, path: "/auth/sign_in", body: write(proof),
		may: []int{http.StatusUnauthorized, http.StatusConflict},
	})
}

// signedIn notes the agent token of a sign-in.
func (p *person) signedIn(a answer, broken *violations) {
	in := read[struct {
		Data struct {
			shownUser
			AccessToken string `json:"access_token"`
		}
	}](a)
	p.judge(in.Data.shownUser, broken)
	p.tokens = append(p.tokens, in.Data.AccessToken)
}
