package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// shownPerson is what person show prints.
type shownPerson struct {
	Address    string
	Items      map[string][]map[string]any
	LostEvents []any `json:"lost_events"`
}

// kinds are the kinds of the items that are shown.
func (p shownPerson) kinds() []string { return slices.Sorted(maps.Keys(p.Items)) }

// ada is somebody of whom each feature knows something, and what knows it.
type ada struct {
	*shell
	key     mailkey.Key
	keyText string
	user    id.ID
}

const (
	adas     = "ada@bücher.example"
	adasSent = "Ada@BÜCHER.example" // the same address, as others write it
	adasForm = "ada@xn--bcher-kva.example"
)

// knowAda has a stack get to know Ada, and Ben beside her.
func knowAda(t *testing.T) ada {
	o := onTenant(t)
	a := ada{shell: o}
	a.key, a.keyText = o.NewMailKey(t, mailkey.Key{Name: "of " + adas, From: []string{"example.com"}})
	printed[createdApp](o, "platform-app", "create", "--name", "crm for "+adasSent)
	app := printed[[]platformAppView](o, "platform-app", "list")[0]
	users := &user.Service{Table: o.Table, HashParams: fixture.CheapHash}
	for email, attributes := range map[string]string{
		adasSent: `{}`, "ben@example.org": `{"boss": "` + adas + `"}`,
	} {
		u, err := users.Create(t.Context(), app.ID, user.Details{
			Name: "Ada", Email: email, Password: fixture.Password, CustomAttributes: json.RawMessage(attributes),
		})
		if err != nil {
			t.Fatal(err)
		}
		if email == adasSent {
			a.user = u.ID
		}
	}
	o.prints("portal", "create", "--account", "7", "--slug", "help", "--name", "Help of "+adas, "--locales", "en")
	o.prints("portal", "add-member", a.user.String(), "--account", "7", "--slug", "help")
	o.prints("user", "token", a.user.String())
	o.Call(t, "POST", "/auth/sign_in", nil, fixture.Object{"email": adas, "password": "wrong password"})
	o.prints("unsubscribes", "add", a.key.ID.String(), adas, "--list", "news")
	a.send("Dear "+adas, adasSent, "ben@example.org")
	a.send("For Ben alone", "ben@example.org")
	a.settle()
	return a
}

func (a ada) settle() {
	a.Helper()
	if err := a.Lambda().Settle(context.Background()); err != nil {
		a.Fatal(err)
	}
}

// send sends a mail to all recipients together.
func (a ada) send(subject string, to ...string) fixture.Answer {
	a.Helper()
	var recipients fixture.Array
	for _, address := range to {
		recipients = append(recipients, fixture.Object{"email": address})
	}
	answer := a.Call(a.T, "POST", "/sender.php", http.Header{"Idempotency-Key": {rand.Text()}}, fixture.Object{
		"key": a.keyText, "sender": fixture.Object{"email": "sender@example.com"},
		"recipients": recipients, "subject": subject, "text": "Hello",
	})
	answer.Is(a.T, http.StatusOK, fixture.Object{"status": "success"})
	return answer
}

// lose puts an event of a mail to somebody into the queue of lost events.
func (a ada) lose(to string) {
	event := fixture.Object{"id": "e-" + to, "source": "aws.ses", "detail": fixture.Object{
		"eventType": "Send", "mail": fixture.Object{
			"timestamp": "2026-11-23T10:00:00.000Z", "messageId": "0100-lost-" + a.user.String(),
			"destination": fixture.Array{to}, "tags": fixture.Object{"frontdesk-key": fixture.Array{a.key.ID.String()}},
		},
	}}
	text, err := json.Marshal(event)
	if err != nil {
		a.Fatal(err)
	}
	a.Account().Queues.Send(a.lostEvents(), string(text), nil)
}

// TestPersonShowsAllThatIsStored, whatever way the address is written, and nothing of others.
func TestPersonShowsAllThatIsStored(t *testing.T) {
	a := knowAda(t)
	a.lose(adas)
	a.lose("ben@example.org")
	for _, spelling := range []string{adas, adasSent, adasForm} {
		p := printed[shownPerson](a.shell, "person", "show", spelling)
		expect.Equal(t, "address", p.Address, adasForm)
		expect.Equal(t, "kinds", p.kinds(), []string{
			"agent token", "e-mail owner", "event of a mail", "linked app", "mail in a log", "mail key", "member",
			"membership", "permissible link", "platform app", "portal", "sign-in attempts", "unsubscribe", "user",
		})
		expect.Len(t, "users: she, and he who has her in his attributes", p.Items["user"], 2)
		expect.Len(t, "mails", p.Items["mail in a log"], 1)
		expect.Len(t, "lost events", p.LostEvents, 1)
	}
	expect.Equal(t, "the events are still in the queue", a.Account().Queues.Len(a.lostEvents()), 2)

	nobody := printed[shownPerson](a.shell, "person", "show", "da@bücher.example")
	expect.Equal(t, "kinds of an address that ends alike", len(nobody.Items), 0)
}

// TestPersonShowsNoSecret: neither what is secret, nor the digest or the hash of it.
func TestPersonShowsNoSecret(t *testing.T) {
	a := knowAda(t)
	shown := a.prints("person", "show", adas)
	expect.Lacks(t, "hashes of passwords", shown, "argon2")
	for _, item := range a.Items(t) {
		k := fixture.KeyOf(t, item)
		if _, digest, _ := strings.Cut(k.SK, "#"); strings.HasPrefix(k.SK, table.AgentTokens) {
			expect.Lacks(t, "the digest of a token", shown, digest)
		}
	}
	p := printed[shownPerson](a.shell, "person", "show", adas)
	for kind, items := range p.Items {
		for _, item := range items {
			for _, name := range []string{"digest", "secret", "password", "request"} {
				expect.Equal(t, fmt.Sprintf("%s of the %s", name, kind), item[name], nil)
			}
		}
	}
}

// TestPersonSaysWhatItReads before it reads the table.
func TestPersonSaysWhatItReads(t *testing.T) {
	o := onStack(t)
	said, failed := o.terminal("person", "show", "ada@example.org")
	expect.Equal(t, "error", failed, "")
	expect.HasPrefix(t, "said", said, "this reads the whole of table "+o.Table.Name()+": about ")
	expect.Contains(t, "said", said, " read units ($0.0000 on demand in us-east-1)\n")
	mustRefuse(o, map[string]refused{
		"no address": {[]string{"person", "show", "ada"}, `the address "ada" is not a valid e-mail address`},
	})
}
