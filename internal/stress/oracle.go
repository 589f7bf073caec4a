package main

import (
	"context"
	"slices"

	"frontdesk/internal/check"
	"frontdesk/internal/check/rules"
	"frontdesk/internal/local"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// verdict counts what was found in order: a run that has found nothing proves nothing.
type verdict struct {
	items      int // of the table
	categories int
	people     int
	tokens     int // agent tokens
	links      int // login links
	mails      int
}

// judge looks for everything that the clients were told of, through the API, in the table and in the outbox.
func judge(ctx context.Context, stack *local.Stack, clients []*client, broken *violations) verdict {
	var v verdict
	t := openTable(stack)
	v.items = judgeTable(ctx, t, broken)
	for _, portal := range byTenant(clients) {
		v.categories += judgePortal(ctx, portal, broken)
	}
	for _, c := range clients {
		for _, p := range c.people {
			people, links := c.judgePerson(ctx, p)
			v.people += people
			v.links += links
			v.tokens += judgeTokens(ctx, t, p, broken)
		}
	}
	var captured map[string]captures
	captured, v.mails = judgeOutbox(clients, stack.Outbox(), broken)
	judgeQuotas(ctx, t, clients, captured, broken)
	return v
}

// judgeLoad looks whether the load was one: every endpoint has served, and every kind of fault has happened.
func judgeLoad(samples []sample, injected []injection, broken *violations) {
	groups := byEndpoint(samples)
	for _, e := range endpoints {
		if !slices.ContainsFunc(groups[e], func(s sample) bool { return s.failure == "" }) {
			broken.add("this proves nothing: no request of %s has succeeded", e)
		}
	}
	for k := range kinds {
		if !slices.ContainsFunc(injected, func(i injection) bool { return i.kind == k }) {
			broken.add("this proves nothing: there was no fault of the kind %s", k)
		}
	}
}

// judgeTable is what `frontdesk check` does.
func judgeTable(ctx context.Context, t table.Table, broken *violations) (items int) {
	report, err := check.Run(ctx, t, rules.All, false, func(int) {})
	if err != nil {
		broken.add("check the table: %v", err)
	}
	for _, f := range report.Faults {
		broken.add("check: %s", f.What)
	}
	return report.Items
}

// byTenant are the clients of each tenant.
func byTenant(clients []*client) [][]*client {
	var groups [][]*client
	for _, c := range clients {
		i := slices.IndexFunc(groups, func(g []*client) bool { return g[0].tenant == c.tenant })
		if i < 0 {
			groups = append(groups, []*client{c})
		} else {
			groups[i] = append(groups[i], c)
		}
	}
	return groups
}

// judgePortal reads a portal as its clients do.
func judgePortal(ctx context.Context, clients []*client, broken *violations) (there int) {
	shown, ok := clients[0].list(ctx, "")
	if !ok {
		broken.add("the categories of %s cannot be read", clients[0].tenant.portal)
		return 0
	}
	var written []*shelved
	for _, c := range clients {
		written = append(written, c.categories...)
	}
	judgeCategories(written, shown, clients[0].tenant.shelf, broken)
	for _, category := range shown {
		if !slices.ContainsFunc(written, func(w *shelved) bool {
			return w.id == category.ID || w.id == 0 && w.slug == category.Slug
		}) {
			broken.add("nobody has created the category %+v", category)
		}
	}
	return len(shown)
}

// judgePerson reads a user, and signs in by the links that nobody has used.
func (c *client) judgePerson(ctx context.Context, p *person) (people, links int) {
	a := c.show(ctx, p)
	if !a.ok() {
		c.broken.add("user %d, %s, was created, but is not there: %s", p.id, p.email, a)
		return 0, 0
	}
	p.judge(read[shownUser](a), c.broken)
	for _, l := range p.links {
		if l.tried > 0 {
			continue
		}
		if a := c.signIn(ctx, map[string]string{"email": p.email, "sso_auth_token": l.token}); a.ok() {
			links++
		} else {
			c.broken.add("a login link of %s that nobody has used does not work: %s", p.email, a)
		}
		l.tried++
	}
	return 1, links
}

// judgeTokens looks for the agent tokens that sign-ins were answered with.
func judgeTokens(ctx context.Context, t table.Table, p *person, broken *violations) (good int) {
	for _, token := range p.tokens {
		if whose, err := (user.Tokens{Table: t}).Authenticate(ctx, token); err != nil || int64(whose) != p.id {
			broken.add("an agent token of user %d is no good: %d, %v", p.id, whose, err)
		} else {
			good++
		}
	}
	return good
}

// judgeOutbox looks for every mail, and gives the captures of each by its subject.
func judgeOutbox(clients []*client, outbox *local.Outbox, broken *violations) (got map[string]captures, acknowledged int) {
	letters := map[string]*letter{}
	for _, c := range clients {
		for _, l := range c.letters {
			letters[l.subject] = l
		}
	}
	got = map[string]captures{}
	for _, m := range outbox.Mails() {
		l := letters[m.Subject]
		if l == nil {
			broken.add("nobody has sent the mail %q to %v", m.Subject, m.To)
			continue
		}
		raw, ok := outbox.Raw(m.ID)
		for _, f := range l.attached {
			if !ok || !f.wholeIn(raw) {
				broken.add("the attachment %s of mail %s is not whole", f.name, m.Subject)
			}
		}
		if got[m.Subject] == nil {
			got[m.Subject] = captures{}
		}
		for _, to := range m.To {
			got[m.Subject][to]++
		}
	}
	for subject, l := range letters {
		if l.judge(got[subject], broken) && l.outcome.final() && l.outcome.unknown == 0 {
			acknowledged++
		}
	}
	return got, acknowledged
}
