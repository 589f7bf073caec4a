package matrix

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

// signed are the endpoints that need a credential.
func signed() []fixture.Request {
	return slices.DeleteFunc(endpoints(), func(r fixture.Request) bool { return r.By == fixture.NoCredential })
}

// wrongCallers: everybody without a good credential gets the same answer from all endpoints that take its kind. It
// costs one call at most, and none if the credential is malformed. A good credential of another tenant gets what the
// row says. After all of them the request succeeds, so that none has changed anything.
func wrongCallers(t testing.TB, s *fixture.Stack) {
	var refusals refusals
	each(signed(), func(r fixture.Request) {
		c, stranger := s.NewClient(t), s.NewClient(t)
		// The stranger's app keeps the members of no portal.
		apps := platformapp.Store{Table: s.Table}
		if err := apps.RevokeGrant(t.Context(), stranger.App.ID, stranger.Portal.Account); err != nil {
			t.Error(err)
		}
		sent := r.Prepare(c)
		for name, wrong := range wrongCredentials(t, c, r.By) {
			a := s.Send(t, r, sent.Signed(r.By, wrong.text), nil)
			if wrong.text == "" && r.By == fixture.MailKeyField {
				// That a body has no key tells nobody anything, so the answer says it.
				a.Is(t, http.StatusUnauthorized, nil)
				expect.Contains(t, a.Raw, "key is missing", "answer without a key")
			} else {
				refusals.compare(t, r, name, a)
			}
			if n := len(s.Actions(a)); n > wrong.calls {
				t.Errorf("%s, %s: calls %q", r, name, s.Actions(a))
			}
			// Who calls comes before what is wrong with the request.
			if bad := sent; sent.Body != nil && r.By != fixture.MailKeyField {
				bad.Body = "{"
				refusals.compare(t, r, name+", with a bad body", s.Send(t, r, bad.Signed(r.By, wrong.text), nil))
			}
		}
		foreign := s.Send(t, r, sent.Signed(r.By, r.By.Text(stranger.Tenant)), nil)
		if r.Foreign == 0 {
			refusals.compare(t, r, "another tenant's", foreign)
			expect.AtMost(t, len(s.Actions(foreign)), 1, r.String()+", another tenant's: calls")
		} else if foreign.Status != r.Foreign {
			t.Errorf("%s, another tenant's: answer %d %.300s, want %d", r, foreign.Status, foreign.Raw, r.Foreign)
		}
		if r.Foreign == http.StatusOK && sent.Method == http.MethodGet && sent.Done(foreign) == nil {
			t.Errorf("%s: another tenant is shown %.300s", r, foreign.Raw)
		}
		if r.Foreign == http.StatusOK && sent.Method != http.MethodGet {
			return // the stranger has done the same for himself
		}
		a := s.Send(t, r, sent.Signed(r.By, r.By.Text(c.Tenant)), nil)
		if err := sent.Done(a); a.Status != r.Good() || err != nil {
			t.Errorf("%s, after the strangers: answer %d %.300s: %v", r, a.Status, a.Raw, err)
		}
	})
}

// endedCallers: a credential that was good gets the answer of a wrong one from the moment at which it has ended.
func endedCallers(t testing.TB, s *fixture.Stack) {
	type ended struct {
		row fixture.Request
		by  string
	}
	var all []ended
	for _, r := range signed() {
		for by := range endings[r.By] {
			all = append(all, ended{r, by})
		}
	}
	var refusals refusals
	each(all, func(e ended) {
		c := s.NewClient(t)
		sent := c.Prepared(e.row)
		end := endings[e.row.By][e.by]
		if err := end.do(t, c); err != nil {
			t.Error(err)
		}
		a := s.Send(t, e.row, sent, nil)
		if end.status == 0 {
			refusals.compare(t, e.row, e.by, a)
		} else if a.Status != end.status {
			t.Errorf("%s, %s: answer %d %.300s, want %d", e.row, e.by, a.Status, a.Raw, end.status)
		}
	})
}

// wrong is a credential that is none.
type wrong struct {
	text  string
	calls int // of the table, at most
}

// wrongCredentials differ from a tenant's good one in a part: form, secret, id, kind.
func wrongCredentials(t testing.TB, c *fixture.Client, by fixture.Credential) map[string]wrong {
	t.Helper()
	kind := map[fixture.Credential]credential.Kind{
		fixture.MailKey: credential.MailKey, fixture.MailKeyField: credential.MailKey,
		fixture.AppToken: credential.PlatformApp, fixture.AgentToken: credential.Agent,
	}[by]
	text := by.Text(c.Tenant)
	good, ok := credential.Parse(kind, text)
	if !ok {
		t.Fatalf("%s is no credential", text)
	}
	secret, _ := credential.Mint(kind, good.ID)
	unknown, _ := credential.Mint(kind, id.New())
	all := map[string]wrong{
		"none":                     {"", 0},
		"malformed":                {"secret", 0},
		"too short":                {text[:len(text)-1], 0},
		"in capitals":              {strings.ToUpper(text), 0},
		"with Bearer":              {"Bearer " + text, 0},
		"twice":                    {text + "," + text, 0},
		"with another secret":      {secret, 1},
		"of an id that nobody has": {unknown, 1},
	}
	kinds := []credential.Kind{credential.MailKey, credential.PlatformApp, credential.Agent, credential.Login}
	for _, other := range kinds {
		if other != kind {
			minted, _ := credential.Mint(other, good.ID)
			all["of another kind: "+minted[:4]] = wrong{minted, 0}
		}
	}
	return all
}

// ending ends a credential.
type ending struct {
	status int // of the answer; 0 for that of a wrong credential
	do     func(testing.TB, *fixture.Client) error
}

var endings = map[fixture.Credential]map[string]ending{
	fixture.MailKey:      mailKeyEndings,
	fixture.MailKeyField: mailKeyEndings,
	fixture.AppToken: {
		"the app is revoked": {do: func(t testing.TB, c *fixture.Client) error {
			_, err := (platformapp.Store{Table: c.Table}).Revoke(t.Context(), c.App.ID)
			return err
		}},
		"the app has another token": {do: func(t testing.TB, c *fixture.Client) error {
			_, _, err := (platformapp.Store{Table: c.Table}).Rotate(t.Context(), c.App.ID)
			return err
		}},
	},
	fixture.AgentToken: {
		"the token has expired": {do: func(t testing.TB, c *fixture.Client) error {
			good, _ := credential.Parse(credential.Agent, c.AgentToken)
			expired := c.Table.UpdateItem(table.AgentToken(good.ID, good.Digest)).Set("expires_at", time.Now().Unix()-1)
			return expired.Run(t.Context())
		}},
		// The tokens' own records stay here, as when a process died in between.
		"the tokens have ended": {do: func(t testing.TB, c *fixture.Client) error {
			return c.Table.UpdateItem(table.User(c.Agent.ID)).Add("generation", 1).Run(t.Context())
		}},
		"the user is half deleted": {do: func(t testing.TB, c *fixture.Client) error {
			return c.Table.DeleteItem(table.User(c.Agent.ID)).Run(t.Context())
		}},
		"the user is deleted": {do: func(t testing.TB, c *fixture.Client) error {
			_, err := (&user.Service{Table: c.Table}).Delete(t.Context(), c.Agent.ID)
			return err
		}},
		"the user is a member no longer": {http.StatusForbidden, func(t testing.TB, c *fixture.Client) error {
			return (portal.Store{Table: c.Table}).RemoveMember(t.Context(), c.Portal, c.Agent.ID)
		}},
	},
}

var mailKeyEndings = map[string]ending{
	"the key is revoked": {do: func(t testing.TB, c *fixture.Client) error {
		_, err := (mailkey.Keys{Table: c.Table}).Revoke(t.Context(), c.MailKey.ID)
		return err
	}},
}

// refusals compares the answers to wrong credentials of a kind.
type refusals struct {
	mu    sync.Mutex
	first map[fixture.Credential]string
}

func (f *refusals) compare(t testing.TB, r fixture.Request, caller string, a fixture.Answer) {
	t.Helper()
	seen := fmt.Sprint(a.Status, " ", a.Raw, " ", slices.Sorted(maps.Keys(a.Header)))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == nil {
		f.first = map[fixture.Credential]string{}
	}
	if f.first[r.By] == "" {
		f.first[r.By] = seen
	}
	if a.Status != http.StatusUnauthorized || seen != f.first[r.By] {
		t.Errorf("%s, %s: answer %s, want 401 and %s", r, caller, seen, f.first[r.By])
	}
}

// formsOfACredential: a credential may come in three header fields. The one with hyphens exists because some
// servers drop names with an underscore. Queries stand in logs and in the histories of browsers, so none is read there.
func formsOfACredential(t testing.TB, s *fixture.Stack) {
	each(signed(), func(r fixture.Request) {
		if r.By == fixture.MailKeyField {
			return
		}
		for name, form := range map[string]func(text string) http.Header{
			"api-access-token": func(text string) http.Header { return http.Header{"Api-Access-Token": {text}} },
			"Authorization": func(text string) http.Header {
				return http.Header{"Authorization": {"Bearer " + text}}
			},
		} {
			c := s.NewClient(t)
			sent, text := r.Prepare(c), r.By.Text(c.Tenant)
			inQuery := sent
			path, query, _ := strings.Cut(sent.Path, "?")
			inQuery.Path = path + "?" + query + "&api_access_token=" + text
			if a := s.Send(t, r, inQuery, nil); a.Status != http.StatusUnauthorized {
				t.Errorf("%s, in the query: answer %d %.300s", r, a.Status, a.Raw)
			}
			sent.Header = form(text)
			a := s.Send(t, r, sent, nil)
			if err := sent.Done(a); a.Status != r.Good() || err != nil {
				t.Errorf("%s, %s: answer %d %.300s: %v", r, name, a.Status, a.Raw, err)
			}
		}
	})
}
