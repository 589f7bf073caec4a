package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/operate/restore"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"

	"github.com/guregu/dynamo/v2"
)

// accesses are things that give access, by name. Each function reports whether its access works on a stack. A name says
// what the access is; a failure prints it.
type accesses map[string]func(testing.TB, *fixture.Stack) bool

// must checks that each way works, or that none does.
func (a accesses) must(t testing.TB, s *fixture.Stack, open bool) {
	t.Helper()
	for name, works := range a {
		if got := works(t, s); got != open {
			t.Errorf("%s lets in: %t, want %t", name, got, open)
		}
	}
}

// sending: a mail key sends a mail.
func sending(key string) func(testing.TB, *fixture.Stack) bool {
	return func(t testing.TB, s *fixture.Stack) bool {
		a := s.Call(t, fixture.To("sendMail"), nil, fixture.Object{
			"key": key, "subject": "Hello", "text": "Hello", "recipients": fixture.Array{
				fixture.Object{"email": "ada@example.org"},
			},
		})
		return a.Body["status"] == "success"
	}
}

// mailing sends a newsletter to an address that may have unsubscribed.
func mailing(key, to string) func(testing.TB, *fixture.Stack) bool {
	return func(t testing.TB, s *fixture.Stack) bool {
		a := s.Call(t, fixture.To("sendMail"), nil, fixture.Object{
			"key": key, "subject": "News", "text": "News", "config": fixture.Array{"separate", "unsubscribe"},
			"recipients": fixture.Array{fixture.Object{"email": to}},
		})
		return a.Body["status"] == "success"
	}
}

// calling: a token gets 200 from an endpoint.
func calling(to fixture.Target, token string) func(testing.TB, *fixture.Stack) bool {
	return func(t testing.TB, s *fixture.Stack) bool {
		return s.Call(t, to, fixture.Token(token), nil).Status == http.StatusOK
	}
}

// signingIn: an address and a secret sign a user in. field is password or sso_auth_token.
func signingIn(email, field, secret string) func(testing.TB, *fixture.Stack) bool {
	return func(t testing.TB, s *fixture.Stack) bool {
		body := fixture.Object{"email": email, field: secret}
		return s.Call(t, fixture.To("signIn"), nil, body).Status == http.StatusOK
	}
}

// leading: an app's login links for a user lead to an address.
func leading(token string, user id.ID, address string) func(testing.TB, *fixture.Stack) bool {
	return func(t testing.TB, s *fixture.Stack) bool {
		to := fixture.To("createLoginLink", user)
		link, _ := s.Call(t, to, fixture.Token(token), nil).Body["url"].(string)
		return strings.HasPrefix(link, address+"?")
	}
}

// importing: an app may import password hashes. An app that may not gets 403 before the hash is read.
func importing(token string) func(testing.TB, *fixture.Stack) bool {
	return func(t testing.TB, s *fixture.Stack) bool {
		body := fixture.Object{"name": "Ada", "email": "imported@x.example", "password_hash": "of no known kind"}
		a := s.Call(t, fixture.To("createUser"), fixture.Token(token), body)
		return a.Status == http.StatusUnprocessableEntity
	}
}

// restored has what a backup held, and what has ended or changed since. A test fills it once, which takes many calls,
// and restores it several times.
type restored struct {
	*shell
	backup        []dynamo.Item
	at            time.Time // time of the backup
	ended, opened accesses  // since the backup
	chosen        accesses  // opened by a password hash that only the old table has
	kept          accesses
	void          accesses // nobody knows whether these have ended
	list          string   // list of what gave access before the damage
}

// fill fills a stack, takes a backup, ends some access of each kind, keeps a list, and damages the table.
//
// What it makes falls into the maps of r: access that ended since the backup, that was opened since, and that has
// been there all the time.
func fill(t testing.TB, o *shell) *restored {
	r := &restored{shell: o, list: filepath.Join(t.TempDir(), "access.ndjson")}
	tenant := o.NewTenant(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	newKey := func(name string) (created createdKey) {
		key, text, err := mailkey.Keys{Table: o.Table}.Create(t.Context(), mailkey.Key{
			Name: name, Sender: mail.Address{Address: "a@example.com"},
		})
		must(err)
		created.ID, created.Key = key.ID, text
		return created
	}
	newApp := func(name string) (created createdApp) {
		app, text, err := platformapp.Store{Table: o.Table}.Create(t.Context(), platformapp.App{Name: name})
		must(err)
		created.ID, created.Token = app.ID, text
		return created
	}
	newUser := func(email string) id.ID {
		body := `{"name":"Ada","email":"` + email + `","password":"` + fixture.Password + `"}`
		return o.ask(tenant.AppToken, fixture.To("createUser"), body).ID
	}
	newToken := func(of id.ID) string {
		text, _, err := user.Tokens{Table: o.Table}.Create(t.Context(), of, user.TokenLife)
		must(err)
		return text
	}
	newLink := func(user id.ID) string {
		link, err := url.Parse(o.ask(tenant.AppToken, fixture.To("createLoginLink", user), "").URL)
		if err != nil {
			t.Fatal(err)
		}
		return link.Query().Get("sso_auth_token")
	}
	const other = "another horse battery"

	// Each name says what happens after the backup: revoked, rotated, moved, lost.
	revokedKey, lostKey := newKey("revoked"), newKey("lost")
	revokedApp, rotatedApp := newApp("revoked"), newApp("rotated")
	movedApp, homelessApp, bothApp := newApp("moved"), newApp("homeless"), newApp("both")
	importingApp, formerApp := newApp("importing"), newApp("formerly importing")
	for _, app := range []createdApp{importingApp, formerApp, movedApp} {
		o.prints("platform-app", "update", app.ID.String(), "--may-import-hashes")
	}
	// Login addresses: formerHome is the one in the backup, home the later one.
	const home, formerHome = "https://now.example", "https://former.example"
	leadTo := func(app createdApp, address string) {
		o.prints("platform-app", "update", app.ID.String(), "--login-url", address)
	}
	visitor := newUser("visitor@x.example")
	for _, app := range []createdApp{movedApp, homelessApp, bothApp} {
		leadTo(app, formerHome)
		o.ask(app.Token, fixture.To("createUser"), `{"email":"visitor@x.example"}`)
	}
	hashed := o.ask(importingApp.Token, fixture.To("createUser"), `{"name":"Ada","email":"hashed@x.example",`+
		`"password_hash":"$2a$04$QAcBaOhcMyzaOGIBzyR.i.G6HBcQEtKEwW94tLGgZLRh8y.3l/lGu"}`).ID
	deleted, changed, tokenless := newUser("deleted@x.example"), newUser("changed@x.example"), newUser("t@x.example")
	left, right, moved := newUser("left@x.example"), newUser("right@x.example"), newUser("moved@x.example")
	reused, lost, linked := newUser("reused@x.example"), newUser("lost@x.example"), newUser("linked@x.example")
	deletedToken, endedToken, changedToken := newToken(deleted), newToken(tokenless), newToken(changed)
	signedOut := newUser("out@x.example")
	signedOutToken := newToken(signedOut)
	o.AddMember(t, tenant.Portal, signedOut)
	o.AddMember(t, tenant.Portal, deleted)
	o.AddMember(t, tenant.Portal, tokenless)
	o.AddMember(t, tenant.Portal, changed)
	o.AddMember(t, tenant.Portal, linked)
	memberToken := newToken(linked)
	gone := o.NewPortal(t, 1, "gone", "en")
	o.Publish(t, gone, true)
	goneToken := o.NewMember(t, gone)
	again := o.NewPortal(t, 1, "again", "en")
	o.Publish(t, again, true)
	o.Publish(t, tenant.Portal, true)
	granted := o.NewPortal(t, 2, "granted", "en")
	o.Grant(t, tenant.App.ID, tenant.Portal.Account)
	o.Grant(t, tenant.App.ID, granted.Account)
	used, unused := newLink(linked), newLink(linked)
	newPassword := func(of id.ID) string {
		password := rand.Text()
		_, err := (&user.Service{Table: o.Table, HashParams: fixture.CheapHash}).SetPassword(t.Context(), of, password)
		must(err)
		return password
	}
	rightPassword, reusedPassword := newPassword(right), newPassword(reused)

	r.kept = accesses{
		"a grant":                     calling(fixture.To("listMembers", granted), tenant.AppToken),
		"a mail key":                  sending(tenant.MailKeyText),
		"a mail key that is lost":     sending(lostKey.Key),
		"an app":                      calling(fixture.To("listUsers"), tenant.AppToken),
		"an agent token":              calling(fixture.To("listCategories", tenant.Portal), tenant.AgentToken),
		"a password":                  signingIn(tenant.Agent.Email, "password", fixture.Password),
		"the password of a lost user": signingIn("lost@x.example", "password", fixture.Password),
		"the leave to import":         importing(importingApp.Token),
		"that of an app with changes": importing(movedApp.Token),
		"a link of an app":            calling(fixture.To("getUser", tokenless), tenant.AppToken),
	}
	r.ended = accesses{
		"a revoked mail key":          sending(revokedKey.Key),
		"a revoked app":               calling(fixture.To("listUsers"), revokedApp.Token),
		"a token before a rotation":   calling(fixture.To("listUsers"), rotatedApp.Token),
		"the password of one deleted": signingIn("deleted@x.example", "password", fixture.Password),
		"a token of one deleted":      calling(fixture.To("listCategories", tenant.Portal), deletedToken),
		"an app, of one deleted":      calling(fixture.To("getUser", deleted), tenant.AppToken),
		"a changed password":          signingIn("changed@x.example", "password", fixture.Password),
		"a token before a password":   calling(fixture.To("listCategories", tenant.Portal), changedToken),
		"a revoked token":             calling(fixture.To("listCategories", tenant.Portal), endedToken),
		"a former login address":      leading(movedApp.Token, visitor, formerHome),
		"the leave to import hashes":  importing(formerApp.Token),
		"one that was cleared":        leading(homelessApp.Token, visitor, formerHome),
		"a token that an app ended":   calling(fixture.To("listCategories", tenant.Portal), signedOutToken),
		"a former address":            signingIn("moved@x.example", "password", fixture.Password),
		"an address, of who had it":   signingIn("left@x.example", "password", fixture.Password),
		"another's former address":    signingIn("right@x.example", "password", rightPassword),
		"a former address of another": signingIn("reused@x.example", "password", reusedPassword),
		"a former member":             calling(fixture.To("listCategories", tenant.Portal), memberToken),
		"a portal that was public":    calling(fixture.To("listPublicCategories", tenant.Portal), ""),
		"a portal that was deleted":   calling(fixture.To("listCategories", gone), goneToken),
		"readers of a deleted portal": calling(fixture.To("listPublicCategories", gone), ""),
		"readers of one made again":   calling(fixture.To("listPublicCategories", again), ""),
		"mails to one who left":       mailing(tenant.MailKeyText, "left@x.example"),
		"a grant that was revoked":    calling(fixture.To("listMembers", tenant.Portal), tenant.AppToken),
	}
	unsubscribe := func(verb, email string, flags ...string) {
		t.Helper()
		o.prints(append([]string{"unsubscribes", verb, tenant.MailKey.ID.String(), email}, flags...)...)
	}
	unsubscribe("add", "back@x.example")
	r.backup, r.at = o.Items(t), time.Now()
	r.ended.must(t, o.Stack, true)
	r.kept.must(t, o.Stack, true)

	run := func(args ...string) {
		t.Helper()
		if out, err := o.frontdesk(args...); err != nil {
			t.Fatalf("%q: %v, %s", args, err, out)
		}
	}
	unsubscribe("add", "left@x.example")
	unsubscribe("remove", "back@x.example", "--yes")
	run("mail-key", "revoke", "--yes", revokedKey.ID.String())
	run("platform-app", "revoke", "--yes", revokedApp.ID.String())
	run("platform-app", "revoke-grant", "--yes", tenant.App.ID.String(), "--account", "1")
	rotatedToken := printed[createdApp](o, "platform-app", "rotate", "--yes", rotatedApp.ID.String()).Token
	run("platform-app", "update", formerApp.ID.String(), "--no-may-import-hashes")
	leadTo(movedApp, home)
	leadTo(homelessApp, "")
	leadTo(bothApp, home)
	bothToken := printed[createdApp](o, "platform-app", "rotate", "--yes", bothApp.ID.String()).Token
	o.ask(tenant.AppToken, fixture.To("deleteUser", deleted), "")
	o.ask(tenant.AppToken, fixture.To("updateUser", changed), `{"password":"`+other+`"}`)
	run("user", "revoke-tokens", "--yes", tokenless.String())
	// This sign-in replaces the other program's hash by ours, so the backup's hash is a former one.
	nowOurs := signingIn("hashed@x.example", "password", "short")
	if !nowOurs(t, o.Stack) {
		t.Error("a foreign hash does not sign in")
	}
	run("user", "revoke-tokens", "--yes", hashed.String())
	o.ask(tenant.AppToken, fixture.To("deleteUserTokens", signedOut), "")
	for _, change := range []struct {
		user    id.ID
		address string
	}{
		{moved, "now@x.example"},
		// left and right exchange their addresses. No address may have two owners at a time, hence the step between.
		{left, "between@x.example"}, {right, "left@x.example"}, {left, "right@x.example"},
		{reused, "away@x.example"},
	} {
		run("user", "set-email", change.user.String(), "--email", change.address)
	}
	// The address of a deleted user goes to another one: the restored owner must not get it back.
	run("user", "delete", "--yes", reused.String())
	run("user", "set-email", moved.String(), "--email", "reused@x.example")
	run("portal", "remove-member", "--yes", "--account", "1", "--slug", tenant.Portal.Slug, linked.String())
	run("portal", "update", "--account", "1", "--slug", tenant.Portal.Slug, "--no-public")
	run("portal", "delete", "--yes", "--account", "1", "--slug", gone.Slug)
	run("portal", "delete", "--yes", "--account", "1", "--slug", again.Slug)
	// A portal made again with the slug has other members and readers than the one in the backup.
	o.Publish(t, o.NewPortal(t, 1, again.Slug, "en"), true)
	o.NewMember(t, again)
	if !signingIn("linked@x.example", "sso_auth_token", used)(t, o.Stack) {
		t.Error("the login link does not sign in")
	}
	r.ended["a login link that was used"] = signingIn("linked@x.example", "sso_auth_token", used)
	r.void = accesses{"a login link that was not used": signingIn("linked@x.example", "sso_auth_token", unused)}
	r.opened = accesses{
		"the token of a rotation":     calling(fixture.To("listUsers"), rotatedToken),
		"a login address":             leading(movedApp.Token, visitor, home),
		"both of an app":              leading(bothToken, visitor, home),
		"an address":                  signingIn("reused@x.example", "password", fixture.Password),
		"a password after tokens end": signingIn("t@x.example", "password", fixture.Password),
	}
	// A list has no hashes, so these open only by the old table itself.
	r.chosen = accesses{
		"a new password":        signingIn("changed@x.example", "password", other),
		"a hash that is ours":   nowOurs,
		"another's address":     signingIn("right@x.example", "password", fixture.Password),
		"an address of another": signingIn("left@x.example", "password", rightPassword),
	}
	run("table", "list-access", r.list)
	r.opened.must(t, o.Stack, true)
	r.chosen.must(t, o.Stack, true)

	// The damage: records that are never deleted, or halves of a pair, are missing. That proves no ending.
	lostSide := table.PermissibleLink(tenant.App.ID, tokenless)
	for _, k := range []table.Key{
		table.MailKey(lostKey.ID), table.User(lost), lostSide, table.DirectoryEntry(table.MailKey(lostKey.ID)),
	} {
		if err := o.Table.DeleteItem(k).If("attribute_exists(PK)").Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// restore makes a table of the backup, and a shell for which that table was restored.
func (r *restored) restore(t testing.TB, name string) (table.Table, *shell) {
	t.Helper()
	restored := r.Table.WithName(r.Table.Name() + "-" + name)
	if _, err := restored.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	fixture.PutAll(t, restored, r.backup)
	return restored, r.restoredAs(restored.Name(), *r.describe(r.Table.Name()).TableArn, r.at)
}

// pointedAt makes a stack use a table that is in the database. It is how an operator goes over to a restored table: by
// the template's parameter ExistingTableName.
func pointedAt(at table.Table) func(*local.Options) {
	return func(o *local.Options) { o.Parameters = map[string]string{"ExistingTableName": at.Name()} }
}

// reopened is what the command prints.
type reopened struct {
	Table  string
	DryRun bool `json:"dry_run"`
	Ended  map[string]int
	Said   []string
	Left   []string
	Many   []string
}

// endings returns the flags that allow a reopening, as a dry run tells them. In a small table much is more than
// a tenth.
func endings(t testing.TB, o *shell, at, from string, more ...string) (flags []string) {
	t.Helper()
	args := append([]string{"--table-name", at, "table", "reopen", "--from", from, "--dry-run"}, more...)
	for _, kind := range printed[reopened](o, args...).Many {
		flags = append(flags, "--end", kind)
	}
	return flags
}

// TestARestoredTableIsReopened, in each of these ways, from what was filled once.
func TestARestoredTableIsReopened(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		r := fill(t, onStack(t))
		for name, test := range map[string]func(testing.TB, *restored){
			"at once":                      testReopening,
			"by runs that are interrupted": testInterruptedReopening,
		} {
			localtest.Case(t, name, func(t testing.TB) { test(t, r) })
		}
	})
}

// testReopening walks the whole way back from a backup. In the restored table, what has ended since the backup works
// until the table is reopened. Then nothing of it works, and the stack goes on with the table.
func testReopening(t testing.TB, r *restored) {
	localtest.Case(t, "what has ended works again", func(t testing.TB) {
		at, _ := r.restore(t, "revived")
		s := fixture.Start(t, pointedAt(at))
		r.ended.must(t, s, true)
		r.kept.must(t, s, true)
	})
	for name, c := range map[string]struct {
		from string
		left []string // of what was lost
	}{
		"from the old table": {
			r.Table.Name(), []string{"mail key", "the record of user", "one side of the", "unsubscribe"},
		},
		"from a list": {r.list, nil},
	} {
		localtest.Case(t, name, func(t testing.TB) {
			at, o := r.restore(t, strings.ReplaceAll(name, " ", "-"))
			reopen := func(more ...string) reopened {
				args := []string{"--table-name", at.Name(), "table", "reopen", "--yes", "--from", c.from}
				args = append(args, endings(t, o, at.Name(), c.from, "--again")...)
				return printed[reopened](o, append(args, more...)...)
			}
			before := itemsOf(t, at)
			// A dry run writes nothing, and counts what the run itself will end.
			dry := reopen("--dry-run")
			if after := itemsOf(t, at); !reflect.DeepEqual(after, before) {
				t.Errorf("a dry run has written: %d items, before %d", len(after), len(before))
			}
			did := reopen()
			if !maps.Equal(did.Ended, dry.Ended) || !dry.DryRun || did.DryRun || did.Table != at.Name() {
				t.Errorf("ended %v, would end %v", did.Ended, dry.Ended)
			}
			for i, want := range c.left {
				if len(did.Left) != len(c.left) || !slices.ContainsFunc(did.Left, func(s string) bool {
					return strings.HasPrefix(s, want)
				}) {
					t.Errorf("%d: left %q, want %q", i, did.Left, c.left)
				}
			}
			// The table may have taken traffic by then, and all of it would end: nothing of it is in the old table.
			_, err := o.frontdesk("--table-name", at.Name(), "table", "reopen", "--yes", "--from", c.from)
			if err == nil || !strings.Contains(err.Error(), "was reopened at") {
				t.Errorf("a second time without --again: %v", err)
			}
			if again := reopen("--again"); len(again.Ended) > 0 {
				t.Errorf("a second time ended %v", again.Said)
			}
			s := fixture.Start(t, pointedAt(at))
			s.MustBeWhole(t)
			r.ended.must(t, s, false)
			r.void.must(t, s, false)
			r.kept.must(t, s, true)
			r.opened.must(t, s, true)
			if c.from == r.Table.Name() {
				r.chosen.must(t, s, true)
			}
		})
	}
}

// TestADamagedSourceDoesNotRepeatItsDamage: the old table has lost most agent tokens. The command prints what would
// end, refuses it until a flag allows this kind, and has written nothing until then.
func TestADamagedSourceDoesNotRepeatItsDamage(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t, fixture.WithoutFunctions(t))
		r := &restored{shell: o}
		app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
		o.prints("user", "create", "--app", app.ID.String(), "--name", "Ada", "--email", "ada@x.example", "--generate")
		of := printed[struct{ ID id.ID }](o, "user", "show", "--email", "ada@x.example").ID.String()
		for range 20 {
			o.prints("user", "token", of)
		}
		r.backup, r.at = o.Items(t), time.Now()
		tokens := o.keysOf("agent token")
		lose := func(keys []table.Key) {
			t.Helper()
			if _, err := o.Table.DeleteAll(t.Context(), keys...); err != nil {
				t.Fatal(err)
			}
		}
		lose(tokens[:2]) // two of twenty are a tenth, and no more
		at, in := r.restore(t, "tenth")
		args := []string{"--table-name", at.Name(), "table", "reopen", "--from", o.Table.Name(), "--yes"}
		expect.Equal(t, printed[reopened](in, args...).Ended, map[string]int{"agent token": 2})

		lose(tokens[2:15])
		at, in = r.restore(t, "damaged")
		args[1] = at.Name()
		before := itemsOf(t, at)
		_, err := in.frontdesk(args...)
		expect.Contains(t, fmt.Sprint(err), "and then add --end agent-token")
		expect.Equal(t, itemsOf(t, at), before)
		dry, err := in.frontdesk("--table-name", at.Name(), "table", "reopen", "--from", o.Table.Name(), "--dry-run")
		expect.Equal(t, err, nil)
		expect.Contains(t, dry, "      15  agent token\nmore than a tenth: --end agent-token allows it\n", "a dry run")
		did := printed[reopened](in, append(args, "--end", "agent-token")...)
		expect.Equal(t, did.Ended, map[string]int{"agent token": 15})
	})
}

// keysOf returns the keys of all items of a kind.
func (o *shell) keysOf(kind string) (keys []table.Key) {
	o.Helper()
	for _, item := range o.Items(o.TB) {
		if k := fixture.KeyOf(o.TB, item); k.Kind() == kind {
			keys = append(keys, k)
		}
	}
	return keys
}

// testInterruptedReopening: each run fails after a few writes, until none is left. Then the table is as
// after a single run. A run that failed has not been a reopening: the doctor goes on asking for one.
func testInterruptedReopening(t testing.TB, r *restored) {
	at, o := r.restore(t, "interrupted")
	whole, ofWhole := r.restore(t, "whole")
	flags := endings(t, o, at.Name(), r.Table.Name())
	args := func(of table.Table) []string {
		args := []string{"--table-name", of.Name(), "table", "reopen", "--yes", "--from", r.Table.Name()}
		return append(args, flags...)
	}
	printed[reopened](ofWhole, args(whole)...)
	const most = 4
	runs, left, said := 0, 0, false
	interrupted := o.refusing(func(operation string) string {
		if operation == "BatchGetItem" || !strings.HasSuffix(operation, "Item") && operation != "TransactWriteItems" {
			return ""
		}
		if left--; left < 0 {
			return "AccessDeniedException"
		}
		return ""
	})
	for err := errors.New("not run yet"); err != nil; runs++ {
		left = most
		var out string
		if out, err = interrupted.frontdesk(args(at)...); runs > 100 {
			t.Fatal(err)
		}
		said = said || err != nil && strings.Contains(out, "ended: ")
		if whole := strings.HasSuffix(out, " is reopened\n"); whole != (err == nil) {
			t.Errorf("run %d, which gave the error %v, printed %q", runs, err, out)
		}
		if noted, _ := restore.LastReopening(t.Context(), at); err != nil && !noted.IsZero() {
			t.Fatal("an interrupted run counts")
		}
	}
	if !said {
		t.Error("no interrupted run said what it had ended")
	}
	if runs < 5 {
		t.Errorf("%d runs: this proves little", runs)
	}
	if now, want := withoutTimes(itemsOf(t, at)), withoutTimes(itemsOf(t, whole)); !reflect.DeepEqual(now, want) {
		t.Errorf("after %d runs the table has %v\nwant %v", runs, now, want)
	}
}

// withoutTimes returns items without the times of the run. Two runs that do the same do it at different times.
func withoutTimes(items []dynamo.Item) []dynamo.Item {
	for _, item := range items {
		delete(item, "updated_at")
		delete(item, "reopened_at")
	}
	return items
}

// TestReopeningsFromAnotherSource are refused: they would end access that has not ended. The source has to be the table
// that was restored, or a list of it from after the time of the backup.
func TestReopeningsFromAnotherSource(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t, fixture.WithoutFunctions(t))
		o.NewTenant(t)
		name := o.Table.Name()
		list := filepath.Join(t.TempDir(), "access.ndjson")
		printed[struct{}](o, "table", "list-access", list)
		reopening := func(from string) []string { return []string{"table", "reopen", "--yes", "--from", from} }
		if _, err := o.Table.WithName("beside").Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		before, arn, past := o.Items(t), *o.describe(name).TableArn, time.Now().Add(-time.Hour)
		for because, c := range map[string]struct {
			from   string
			table  string // name of the restored table
			source string // table that it was restored from
			to     time.Time
			want   string
		}{
			"from a list of before the restore":           {list, name, arn, later, "was restored to a later time"},
			"from what was restored from it":              {"beside", "beside", arn, past, "the other way around"},
			"from a list, though it is no restored table": {list, "", "", past, "was not restored from a backup"},
			"from a table, though it is no restored one":  {"beside", "", "", past, "was not restored from a backup"},
			"from a list of another table than its own":   {list, name, arn + "-other", past, "--chain"},
			"from another table than its own":             {"beside", name, arn + "-other", past, "--chain"},
		} {
			localtest.Case(t, because, func(t testing.TB) {
				_, err := o.restoredAs(c.table, c.source, c.to).frontdesk(reopening(c.from)...)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
			})
		}
		// What a person confirms by a flag is then accepted.
		printed[reopened](o.restoredAs(name, arn+"-other", past), append(reopening(list), "--dry-run", "--chain")...)
		if after := o.Items(t); !reflect.DeepEqual(after, before) {
			t.Errorf("%d items, before %d", len(after), len(before))
		}
	})
}

// TestATableIsReopenedByAListThatKeepsWhatHasEnded: a program has deleted a user who should stay. The commands of the
// page make a list that keeps the user. The test runs the commands of the page as they stand there.
func TestATableIsReopenedByAListThatKeepsWhatHasEnded(t *testing.T) {
	t.Parallel()
	r := fill(t, onProcesses(t))
	dir := t.TempDir()
	at, o := r.restore(t, "kept")
	writeTool(t, filepath.Join(dir, "bin"))
	keep := printed[reopened](o, "--table-name", at.Name(), "table", "reopen", "--from", r.list, "--dry-run")
	var flags []string
	for _, kind := range keep.Many {
		flags = append(flags, "--end", kind)
	}
	var kept []string
	for _, said := range keep.Said {
		if id, found := strings.CutSuffix(said, " (deleted@x.example) was deleted"); found {
			kept = append(kept, strings.TrimPrefix(id, "user "))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ids.txt"), []byte(strings.Join(kept, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := "OLD=" + r.Table.Name() + " NEW=" + at.Name() + "\n" + strings.ReplaceAll(
		findBlock(t, "internal/docs/restore.md, Lists 2").script, "bin/frontdesk", "bin/frontdesk --local="+o.file)
	script = strings.ReplaceAll(script, "--yes", "--yes "+strings.Join(flags, " "))
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := fixture.StartBootstraps(t, onDatabase, pointedAt(at))
	ended := maps.Clone(r.ended)
	for _, way := range []string{"the password of one deleted", "a token of one deleted", "an app, of one deleted"} {
		accesses{way: ended[way]}.must(t, s, true)
		delete(ended, way)
	}
	ended.must(t, s, false)
	s.MustBeWhole(t)
}

// TestWhatIsDamagedLaterIsLeft: data that the old table has lost or overwritten does not prove an ending. Each user
// is one case. Its name says what becomes of the user after the backup: in doubt the user keeps the access, and a
// person decides.
func TestWhatIsDamagedLaterIsLeft(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		r := &restored{shell: o}
		tenant := o.NewTenant(t)
		const other = "another horse battery"
		names := []string{"overwritten", "changed", "moved", "ended", "taken", "taker", "lost", "unread", "unowned"}
		users := map[string]id.ID{}
		email := func(name string) string { return name + "@x.example" }
		for _, name := range names {
			body := `{"name":"Ada","email":"` + email(name) + `","password":"` + fixture.Password + `"}`
			users[name] = o.ask(tenant.AppToken, fixture.To("createUser"), body).ID
		}
		r.backup, r.at = o.Items(t), time.Now()

		move := func(name, to string) {
			t.Helper()
			o.prints("user", "set-email", users[name].String(), "--email", email(to))
		}
		endTokens := func(name string) { t.Helper(); o.prints("user", "revoke-tokens", "--yes", users[name].String()) }
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		set := func(k table.Key, attribute string, value any) {
			t.Helper()
			must(o.Table.UpdateItem(k).Set(attribute, value).If("attribute_exists(PK)").Run(t.Context()))
		}
		lose := func(k table.Key) {
			t.Helper()
			must(o.Table.DeleteItem(k).If("attribute_exists(PK)").Run(t.Context()))
		}
		set(table.User(users["overwritten"]), "email", email("elsewhere"))
		o.ask(tenant.AppToken, fixture.To("updateUser", users["changed"]), `{"password":"`+other+`"}`)
		set(table.User(users["changed"]), "email", email("elsewhere"))
		move("moved", "away")
		lose(table.Email(email("away")))
		move("ended", "far")
		endTokens("ended")
		lose(table.Email(email("far")))
		move("taken", "further")
		endTokens("taken")
		move("taker", "taken")
		lose(table.Email(email("further")))
		move("lost", "behind")
		lose(table.User(users["lost"]))
		set(table.User(users["unread"]), "generation", "x")
		endTokens("unowned")
		set(table.Email(email("unowned")), "user", "x")
		r.list = filepath.Join(t.TempDir(), "access.ndjson")
		o.prints("table", "list-access", r.list)

		password := func(name, password string) func(testing.TB, *fixture.Stack) bool {
			return signingIn(email(name), "password", password)
		}
		for from, source := range map[string]string{"from the old table": r.Table.Name(), "from a list": r.list} {
			localtest.Case(t, from, func(t testing.TB) {
				at, o := r.restore(t, strings.ReplaceAll(from, " ", "-"))
				did := printed[reopened](o, append([]string{
					"--table-name", at.Name(), "table", "reopen", "--yes", "--from", source,
				}, endings(t, o, at.Name(), source)...)...)
				for name, want := range map[string]string{
					"overwritten": "has another address since",
					"moved":       "has another address since",
					"lost":        "the record of",
					"unread":      "as it is later",
					"unowned":     "e-mail owner",
				} {
					of := fmt.Sprintf("%d", users[name])
					if !slices.ContainsFunc(did.Left, func(s string) bool {
						return strings.Contains(s, of) && strings.Contains(s, want)
					}) {
						t.Errorf("%s: left %q, want %q of %s", name, did.Left, want, of)
					}
				}
				expect.Equal(t, did.Ended["user"], 4, "users ended") // changed, ended, taken and taker
				s := fixture.Start(t, pointedAt(at))
				accesses{
					"an overwritten address":        password("overwritten", fixture.Password),
					"an address before a lost one":  password("moved", fixture.Password),
					"a user who moved, and is lost": password("lost", fixture.Password),
					"a damaged user":                password("unread", fixture.Password),
					"a user of a damaged address":   password("unowned", fixture.Password),
					"the next user of an address":   password("taken", fixture.Password),
				}.must(t, s, true)
				accesses{
					"a password that was changed":    password("changed", fixture.Password),
					"a password that may be changed": password("ended", fixture.Password),
					"a former address of the next":   password("taker", fixture.Password),
				}.must(t, s, false)
				if source != r.list {
					accesses{"a new password": password("changed", other)}.must(t, s, true)
				}
			})
		}
	})
}

// itemsOf returns all items of a table.
func itemsOf(t testing.TB, of table.Table) (items []dynamo.Item) {
	t.Helper()
	if err := of.Scan().Consistent(true).All(t.Context(), &items); err != nil {
		t.Fatal(err)
	}
	return items
}
