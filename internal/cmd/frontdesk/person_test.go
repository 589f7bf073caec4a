package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/mail"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/check"
	"frontdesk/internal/check/rules"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table/itemjson"
	"frontdesk/internal/user"

	"github.com/guregu/dynamo/v2"
)

// ada is a person of whom every feature stores something. Her address has a domain with an umlaut, so that its ASCII
// form (IDNA), its capitals and its own form all differ.
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

// knowAda puts Ada into a stack, and Ben beside her. Ben has her address in his attributes, because a person's
// address may also be stored with somebody else.
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
	// Names are free text: people write addresses into the names of keys, apps and portals, too.
	o.prints("portal", "create", "--account", "7", "--slug", "help", "--name", "Help of "+adas, "--locales", "en")
	o.prints("portal", "add-member", a.user.String(), "--account", "7", "--slug", "help")
	o.prints("user", "token", a.user.String())
	// A failed sign-in counts against the address, in an item of its own.
	o.Call(t, "POST", "/auth/sign_in", nil, fixture.Object{"email": adas, "password": "wrong password"})
	o.prints("unsubscribes", "add", a.key.ID.String(), adas, "--list", "news")
	// One mail to both: what the log has of Ben must survive her forgetting.
	a.send("Dear "+adas, adasSent, "ben@example.org")
	// Nothing of this mail may change.
	a.send("For Ben alone", "ben@example.org")
	a.settle()
	return a
}

// settle waits until the functions have handled all events of mails.
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
func (a ada) lose(to string) { a.loseOf("0100-lost-to-"+to[:3], to) }

// loseOf loses an event of the mail with this id.
func (a ada) loseOf(mailID, to string) { a.loseAt(mailID, time.Now(), "sender@example.com", to) }

// loseAt loses the event that SES publishes when it has taken a mail, as EventBridge wraps it. The tag frontdesk-key
// says whose mail it is.
func (a ada) loseAt(mailID string, at time.Time, from, to string) {
	a.Helper()
	event := fixture.Object{"id": "e-" + mailID, "source": "aws.ses", "detail": fixture.Object{
		"eventType": "Send", "mail": fixture.Object{
			"timestamp": at.UTC().Format("2006-01-02T15:04:05.000Z"), "messageId": mailID,
			"destination": fixture.Array{to}, "tags": fixture.Object{"frontdesk-key": fixture.Array{a.key.ID.String()}},
			"commonHeaders": fixture.Object{"from": fixture.Array{from}, "subject": "Lost"},
		},
	}}
	text, err := json.Marshal(event)
	if err != nil {
		a.Fatal(err)
	}
	a.Account().Queues.Send(a.lostEvents(), string(text), nil)
}

// forgotten is what person forget prints.
type forgotten struct {
	Address    string
	User       id.ID
	Changed    map[string]int
	LostEvents int `json:"lost_events"`
	Left       []struct{ Kind, Key, Why string }
	Elsewhere  []string
}

// forget forgets Ada. No request is under way in a settled test, so it does not wait.
func (a ada) forget(more ...string) forgotten {
	a.Helper()
	args := append([]string{"person", "forget", "--yes", adasSent, "--under-way", "0s"}, more...)
	return printed[forgotten](a.shell, args...)
}

// traces returns everything that reveals Ada without the secret of a mail key: her address in any spelling, and
// digests of it, in lower case. A digest without a secret is a trace, because anybody can compute it from the address
// and compare. The first 8 bytes alone would be enough for that.
func traces() (wanted []string) {
	wanted = []string{"ada@"}
	for _, spelling := range []string{adas, adasSent, adasForm, "Ada@xn--bcher-kva.example"} {
		sum256, sum1, md := sha256.Sum256([]byte(spelling)), sha1.Sum([]byte(spelling)), md5.Sum([]byte(spelling))
		for _, digest := range [][]byte{sum256[:], sum1[:], md[:], sum256[:8]} {
			for _, text := range []string{
				hex.EncodeToString(digest), base64.RawStdEncoding.EncodeToString(digest),
				base64.RawURLEncoding.EncodeToString(digest),
			} {
				wanted = append(wanted, strings.ToLower(text))
			}
		}
	}
	return wanted
}

// tracesIn returns the kinds of items with a trace of Ada.
func tracesIn(t *testing.T, items []dynamo.Item) (found []string) {
	t.Helper()
	for _, item := range items {
		text, err := json.Marshal(itemjson.Document(item))
		if err != nil {
			t.Fatal(err)
		}
		for _, trace := range traces() {
			if strings.Contains(strings.ToLower(string(text)), trace) {
				found = append(found, fixture.KeyOf(t, item).Kind())
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestForgetLeavesNoTrace in the table, the queue and the logs, except those that the page names. What is stored of
// others stays, and so do the counts of mails. Without --user the user stays, and with it the owner of the address:
// both are left to the operator.
func TestForgetLeavesNoTrace(t *testing.T) {
	a := knowAda(t)
	a.lose(adas)
	a.lose("ben@example.org")
	before := a.mails()
	f := a.forget()
	expect.Equal(t, "address", f.Address, adasForm)
	expect.Equal(t, "user", f.User, 0)
	expect.Equal(t, "changed", f.Changed, map[string]int{
		"event of a mail": 3, "mail in a log": 1, "mail key": 1, "platform app": 1, "portal": 1, "sign-in attempts": 1,
		"unsubscribe": 1,
	})
	expect.Equal(t, "lost events", f.LostEvents, 1)
	expect.Equal(t, "left in the queue", a.Account().Queues.Len(a.lostEvents()), 1)
	expect.Equal(t, "traces", tracesIn(t, a.Items(t)), []string{"e-mail owner", "user"})
	var left []string
	for _, l := range f.Left {
		left = append(left, l.Kind)
	}
	slices.Sort(left)
	expect.Equal(t, "left to the operator", left, []string{"e-mail owner", "user", "user"})
	logs := strings.ToLower(a.prints("logs", "--last", "1000"))
	for _, trace := range traces() {
		expect.Lacks(t, "the logs", logs, trace)
	}
	a.MustBeWhole(t)

	after := a.mails()
	expect.Equal(t, "mails", len(after), len(before))
	for i, m := range after {
		expect.Equal(t, "status", m.Status, before[i].Status)
		expect.Equal(t, "recipients", len(m.Recipients), len(before[i].Recipients))
		want := before[i].Subject
		// The subject of the mail to both had her address. The mail to Ben alone keeps its subject.
		if len(m.Recipients) == 2 {
			want = ""
		}
		expect.Equal(t, "subject", m.Subject, want)
	}

	// Forgetting is repeated after interruptions, so a repetition must find nothing more.
	t.Run("a second time nothing is left to do", func(t *testing.T) {
		expect.Equal(t, "changed", a.of(t).forget().Changed, map[string]int{})
	})
	t.Run("with --user the user goes, too", func(t *testing.T) {
		a := a.of(t)
		f := a.forget("--user")
		expect.Equal(t, "user", f.User, a.user)
		expect.Equal(t, "traces: attributes that an app gave another user", tracesIn(t, a.Items(t)), []string{"user"})
		expect.Len(t, "left", f.Left, 1)
		a.MustBeWhole(t)
	})
}

// of returns Ada for a part of a test.
func (a ada) of(t *testing.T) ada {
	a.shell = a.shell.of(t)
	return a
}

// mailShown is what the tests need of a mail in the log.
type mailShown struct {
	ID, Status, Subject string
	Recipients          []struct{ Email, Status string }
}

// mails returns the mails of the key, as GET /mails lists them.
func (a ada) mails() []mailShown {
	a.Helper()
	var list struct{ Payload []mailShown }
	a.Call(a.T, "GET", "/mails", fixture.Token(a.keyText), nil).Decode(a.T, &list)
	return list.Payload
}

// newsletter sends Ada a newsletter, and returns the answer and the address by which she unsubscribes.
func (a ada) newsletter() (answer fixture.Answer, leave string) {
	a.Helper()
	answer = a.Call(a.T, "POST", "/sender.php", nil, fixture.Object{
		"key": a.keyText, "sender": fixture.Object{"email": "sender@example.com"}, "subject": "Offers",
		"recipients": fixture.Array{fixture.Object{"email": adasSent}}, "list": "offers",
		"text": "Leave: {UNSUBSCRIBE}", "config": fixture.Array{"separate", "unsubscribe"},
	})
	mailID, _ := answer.Body["id"].(string)
	raw, _ := a.Outbox().Raw(mailID)
	if m, err := mail.ReadMessage(bytes.NewReader(raw)); err == nil {
		leave = strings.Trim(m.Header.Get("List-Unsubscribe"), "<>")
	}
	return answer, leave
}

// TestWhatComesLaterOfAForgottenPerson brings nothing back: neither events of earlier mails nor links do. Mails to her
// do not begin again. Events may come days after a mail, and a newsletter with its link stays in her mailbox for years.
func TestWhatComesLaterOfAForgottenPerson(t *testing.T) {
	a := knowAda(t)
	sent, leave := a.newsletter()
	a.settle()
	a.forget("--user")
	mustBeGone := func(t *testing.T) {
		t.Helper()
		expect.Equal(t, "traces: attributes that an app gave another user", tracesIn(t, a.Items(t)), []string{"user"})
	}
	for name, mailID := range map[string]string{
		"an event of a mail that the log knew": sent.Body["id"].(string),
		"an event of a mail that is new to it": "0100-lost",
	} {
		t.Run(name, func(t *testing.T) {
			a := a.of(t)
			a.loseOf(mailID, adas)
			expect.Equal(t, "recorded", printed[redriven](a.shell, "events", "redrive").Recorded, 1)
			mustBeGone(t)
			i := slices.IndexFunc(a.mails(), func(m mailShown) bool { return m.ID == mailID })
			if i < 0 {
				t.Fatal("the mail is not in the log")
			}
			m := a.mails()[i]
			expect.Equal(t, "subject", m.Subject, "")
			expect.Len(t, "recipients: she counts once", m.Recipients, 1)
			expect.Contains(t, "recipient", m.Recipients[0].Email, "@forgotten.invalid")
		})
	}
	t.Run("a mail that is sent long after is in the log like any other", func(t *testing.T) {
		a := a.of(t)
		a.loseAt("0100-new", time.Now().Add(time.Hour), "eve@example.net", adas)
		expect.Equal(t, "recorded", printed[redriven](a.shell, "events", "redrive").Recorded, 1)
		i := slices.IndexFunc(a.mails(), func(m mailShown) bool { return m.ID == "0100-new" })
		expect.Equal(t, "recipient", a.mails()[i].Recipients[0].Email, adas)
		a.forget()
		mustBeGone(t)
	})
	const form = "application/x-www-form-urlencoded"
	press := func(t *testing.T, button string) string {
		t.Helper()
		answer, err := http.Post(leave, form, strings.NewReader("List-Unsubscribe="+button))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		expect.Equal(t, "status", answer.StatusCode, http.StatusOK)
		page, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(page)
	}
	t.Run("a link stores no address, and still works", func(t *testing.T) {
		a := a.of(t)
		expect.Contains(t, "page", press(t, "One-Click"), "You are unsubscribed")
		mustBeGone(t)
		answer, _ := a.newsletter()
		expect.Equal(t, "the next newsletter", answer.Body["code"], "unsubscribed")
		expect.Contains(t, "page", press(t, "Undo"), "You get these mails again")
		answer, _ = a.newsletter()
		expect.Equal(t, "the newsletter after that", answer.Body["status"], "success")
	})
	t.Run("what an operator has added stays, until an operator removes it", func(t *testing.T) {
		a := a.of(t)
		listed := a.prints("unsubscribes", "list", a.key.ID.String())
		expect.Contains(t, "list", listed, "@forgotten.invalid  news  operator")
		removed := a.prints("unsubscribes", "remove", "--yes", a.key.ID.String(), adas, "--list", "news")
		expect.Contains(t, "remove", removed, "gets these mails again")
		expect.Lacks(t, "list", a.prints("unsubscribes", "list", a.key.ID.String()), "news")
	})
	a.MustBeWhole(t)
}

// TestAnInterruptedForgettingGoesOn: each run fails after a few writes, until none is left.
func TestAnInterruptedForgettingGoesOn(t *testing.T) {
	a := knowAda(t)
	left, runs := 0, 0
	interrupted := a.refusing(func(operation string) string {
		if operation == "BatchGetItem" || !strings.HasSuffix(operation, "Item") && operation != "TransactWriteItems" {
			return ""
		}
		if left--; left < 0 {
			return "AccessDeniedException"
		}
		return ""
	})
	for err := errors.New("not run yet"); err != nil; runs++ {
		if left = 7; runs > 20 {
			t.Fatal(err)
		}
		_, err = interrupted.frontdesk("person", "forget", "--yes", adas, "--under-way", "0s")
	}
	expect.AtLeast(t, "runs", runs, 3)
	expect.Equal(t, "traces", tracesIn(t, a.Items(t)), []string{"e-mail owner", "user"})
	a.MustBeWhole(t)
}

// TestAReopeningForgetsAgain: a restored table has a person who was forgotten since the backup, until it is reopened
// from the table or from a list of it. The notes of the forgetting are in the old table and in its list; they have a
// digest under the key's secret, and no address.
func TestAReopeningForgetsAgain(t *testing.T) {
	a := knowAda(t)
	r := restored{shell: a.shell, backup: a.Items(t), at: time.Now().UTC().Add(-time.Second).Truncate(time.Second)}
	a.forget("--user")
	list := filepath.Join(t.TempDir(), "access.ndjson")
	a.prints("table", "list-access", list)
	for name, from := range map[string]string{"table": a.Table.Name(), "list": list} {
		t.Run("by a "+name, func(t *testing.T) {
			at, o := r.restore(t, name)
			args := []string{"--table-name", at.Name(), "table", "reopen", "--yes", "--from", from}
			expect.AtLeast(t, "kinds that have her in the backup", len(tracesIn(t, itemsOf(t, at))), 8)
			dry := printed[reopened](o, append(args, "--dry-run")...)
			expect.AtLeast(t, "what would end of a person", dry.Ended["forgotten person"], 1)
			expect.AtLeast(t, "kinds that have her after a dry run", len(tracesIn(t, itemsOf(t, at))), 8)
			o.prints(args...)
			expect.Equal(t, "traces", tracesIn(t, itemsOf(t, at)), []string{"user"})
			whole, err := check.Run(t.Context(), at, rules.All, check.Options{})
			expect.Equal(t, "error", err, nil)
			expect.Equal(t, "faults", whole.Unmended(), 0)
		})
	}
}
