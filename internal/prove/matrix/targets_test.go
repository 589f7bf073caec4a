package matrix

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
)

// targetsThatAreNone: whatever stands in a path in place of what a request is about, what does not exist, what was
// deleted, what belongs to others and what is no name at all get the same answer. So nobody learns what there is.
func targetsThatAreNone(t testing.TB, s *fixture.Stack) {
	all := contracttest.Operations(t)
	var mu sync.Mutex
	first := map[string]string{} // answer by credential and status
	each(endpoints(), func(r fixture.Request) {
		c, stranger := s.NewClient(t), s.NewClient(t)
		sent := c.Prepared(r)
		path, query, _ := strings.Cut(sent.Path, "?")
		for i, segment := range strings.Split(all[r.Operation].Path, "/") {
			variable := strings.Trim(segment, "{}")
			status := statusWithout(r, variable)
			if status == 0 {
				continue
			}
			for name, none := range namesOfNothing(t, r, variable, strings.Split(path, "/")[i], c, stranger) {
				segments := strings.Split(path, "/")
				segments[i] = none
				instead := sent
				instead.Path = strings.Join(segments, "/") + "?" + query
				a := s.Send(t, r, instead, nil)
				key := fmt.Sprint(r.By, status)
				mu.Lock()
				if first[key] == "" {
					first[key] = a.Raw
				}
				if a.Status != status || a.Raw != first[key] && r.By != fixture.NoCredential {
					t.Errorf("%s with a %s that is %s: answer %d %.300s, want %d %s",
						r, variable, name, a.Status, a.Raw, status, first[key])
				}
				mu.Unlock()
				expect.AtMost(t, len(s.Actions(a)), 2, fmt.Sprintf("%s with a %s that is %s: calls", r, variable, name))
			}
		}
		a := s.Send(t, r, sent, nil)
		if err := sent.Done(a); a.Status != r.Good() || err != nil {
			t.Errorf("%s, afterwards: answer %d %.300s: %v", r, a.Status, a.Raw, err)
		}
	})
}

// statusWithout returns the status of the answer if what a variable of the path names is missing. It is 0 for variables
// of which a malformed value is told: an agent may know the categories of a portal.
func statusWithout(r fixture.Request, variable string) int {
	switch {
	case variable == "user_id":
		return http.StatusUnauthorized
	case variable == "account_id" || variable == "portal_slug":
		return map[fixture.Credential]int{
			fixture.AppToken: http.StatusUnauthorized, fixture.AgentToken: http.StatusForbidden,
			fixture.NoCredential: http.StatusNotFound,
		}[r.By]
	case variable == "mail_id" || variable == "category_slug":
		return http.StatusNotFound
	}
	return 0
}

// namesOfNothing returns what takes the place of a good name or id in a path.
func namesOfNothing(
	t testing.TB, r fixture.Request, variable, good string, c, stranger *fixture.Client,
) map[string]string {
	t.Helper()
	all := map[string]string{
		"unknown":             id.New().String(),
		"huge":                strings.Repeat("9", 5000),
		"with a # inside":     good + "%23USER",
		"with %2F inside":     good + "%252Fx", // an escaped slash itself makes another path
		"with a space before": "%20" + good,
		"a space":             "%20",
		"a NUL byte":          "%00",
		"a bad UTF-8 byte":    "%ff",
	}
	if variable == "portal_slug" && r.By == fixture.AgentToken {
		all["another's"] = stranger.Portal.Slug
	}
	if !strings.HasSuffix(variable, "_id") || variable == "mail_id" {
		return all
	}
	for name, text := range map[string]string{
		"zero":                "0",
		"negative":            "-" + good,
		"with a plus":         "+" + good,
		"with a leading zero": "0" + good,
		"a fraction":          good + ".0",
		"with an exponent":    "1e3",
		"hexadecimal":         "0x" + good,
		"in base 36":          "zz",
		"not a number":        "ada@example.org",
		"null":                "null",
		// Ids end at 2^53-1, up to which JavaScript reads integers exactly.
		"over 53 bits":      "9007199254740992",
		"over 64 bits":      "18446744073709551616",
		"full-width digits": url.PathEscape("１２３"),
	} {
		all[name] = text
	}
	if variable == "user_id" {
		// A user whose deletion was interrupted: the link to the app is left.
		deleted := c.NewUser(c.App.ID).ID
		if err := c.Table.DeleteItem(table.User(deleted)).Run(t.Context()); err != nil {
			t.Error(err)
		}
		all["deleted"], all["another's"] = deleted.String(), stranger.Agent.ID.String()
		all["an app's"] = stranger.App.ID.String()
	}
	return all
}
