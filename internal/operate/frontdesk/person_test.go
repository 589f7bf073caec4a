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
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/base/table/itemjson"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"
	"frontdesk/internal/service/user"

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
func knowAda(t testing.TB) ada {
	o := onStack(t).withKey()
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
	o.Call(t, fixture.To("signIn"), nil, fixture.Object{"email": adas, "password": "wrong password"})
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
	answer := a.Call(a.TB, fixture.To("sendMail"), http.Header{"Idempotency-Key": {rand.Text()}}, fixture.Object{
		"key": a.keyText, "sender": fixture.Object{"email": "sender@example.com"},
		"recipients": recipients, "subject": subject, "text": "Hello",
	})
	answer.Is(a.TB, http.StatusOK, fixture.Object{"status": "success"})
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

// forget forgets Ada.
func (a ada) forget(more ...string) forgotten {
	a.Helper()
	args := append([]string{"person", "forget", "--yes", adasSent}, more...)
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
func tracesIn(t testing.TB, items []dynamo.Item) (found []string) {
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
// others stays. Without --user the user stays, and with it the owner of the address; without --unsubscribes the
// unsubscribe does. All of these are left to the operator. Every kind that forgets has something of her.
func TestForgetLeavesNoTrace(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		a := knowAda(t)
		alone := a.send("To Ada alone", adasSent)
		// A test's mail to Ben went to her, which the answer to its Idempotency-Key says. The key is no longer in use.
		tests := a
		tests.key, tests.keyText = a.NewMailKey(t, mailkey.Key{
			Name: "tests", From: []string{"example.com"}, Redirect: redirect.Rule{To: adas},
		})
		tests.send("A test", "ben@example.org")
		a.settle()
		a.prints("mail-key", "revoke", "--yes", tests.key.ID.String())
		a.lose(adas)
		a.lose("ben@example.org")
		before := a.mails()
		f := a.forget()
		expect.Equal(t, f.Address, adasForm)
		expect.Equal(t, f.User, 0)
		expect.Equal(t, f.Changed, map[string]int{
			"event of a mail": 7, "idempotency record": 1, "mail in a log": 3, "mail key": 2, "platform app": 1,
			"portal": 1, "sign-in attempts": 1,
		})
		expect.Equal(t, f.LostEvents, 1, "lost events")
		expect.Equal(t, a.Account().Queues.Len(a.lostEvents()), 1, "left in the queue")
		expect.Equal(t, tracesIn(t, a.Items(t)), []string{"e-mail owner", "unsubscribe", "user"})
		var left []string
		for _, l := range f.Left {
			left = append(left, l.Kind)
		}
		slices.Sort(left)
		expect.Equal(t, left, []string{"e-mail owner", "unsubscribe", "user", "user"}, "left to the operator")
		logs := strings.ToLower(a.prints("logs", "--last", "1000"))
		for _, trace := range traces() {
			expect.Lacks(t, logs, trace, "the logs")
		}
		a.MustBeWhole(t)

		// The mail to her alone is gone, with its events. The one to both keeps what became of Ben.
		after := a.mails()
		expect.Equal(t, len(after), len(before)-1, "mails")
		id, _ := alone.Body["id"].(string)
		hers := a.Call(t, fixture.To("getMail", id), fixture.Token(a.keyText), nil)
		expect.Equal(t, hers.Status, 404, "the mail to her alone")
		for _, m := range after {
			i := slices.IndexFunc(before, func(b mailShown) bool { return b.ID == m.ID })
			expect.Equal(t, m.Status, before[i].Status)
			expect.Len(t, m.Recipients, 1)
			expect.Equal(t, m.Recipients[0].Email, "ben@example.org")
			expect.Equal(t, m.Subject, strings.ReplaceAll(before[i].Subject, adas, "[forgotten]"))
			shown := a.Call(t, fixture.To("getMail", m.ID), fixture.Token(a.keyText), nil)
			expect.Equal(t, shown.Status, 200, "status of the mail alone")
			expect.Lacks(t, strings.ToLower(string(shown.Raw)), "ada@", "the mail alone")
		}

		// Forgetting is repeated after interruptions, so a repetition must find nothing more.
		localtest.Case(t, "a second time nothing is left to do", func(t testing.TB) {
			expect.Equal(t, a.of(t).forget().Changed, map[string]int{})
		})
		localtest.Case(t, "with --user and --unsubscribes these go, too", func(t testing.TB) {
			a := a.of(t)
			first, f := f, a.forget("--user", "--unsubscribes")
			expect.Equal(t, f.User, a.user)
			expect.Equal(t, f.Changed, map[string]int{"unsubscribe": 1})
			var forgetting []string
			for name, kind := range registry.Kinds() {
				if kind.Forget != nil {
					forgetting = append(forgetting, name)
				}
			}
			slices.Sort(forgetting)
			maps.Copy(f.Changed, first.Changed)
			expect.Equal(t, slices.Sorted(maps.Keys(f.Changed)), forgetting, "kinds that forget")
			expect.Equal(t, tracesIn(t, a.Items(t)), []string{"user"},
				"traces: attributes that an app gave another user")
			expect.Len(t, f.Left, 1)
			a.MustBeWhole(t)
		})
	})
}

// TestAUserWithoutRecordIsForgotten: the record of a user was lost. The address still names the user, so the check does
// not take the rest for what a deletion has left; forgetting the person ends all of it.
func TestAUserWithoutRecordIsForgotten(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		a := knowAda(t)
		if err := a.Table.DeleteItem(table.User(a.user)).If("attribute_exists(PK)").Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, err := a.frontdesk("check")
		expect.Equal(t, err != nil, true, "the check fails")
		expect.Contains(t, out, "frontdesk person forget "+adasForm+" --user\n", "check")
		expect.Lacks(t, out, "frontdesk user delete", "check")
		expect.Equal(t, a.forget("--user").User, a.user)
		expect.Lacks(t, fmt.Sprint(tracesIn(t, a.Items(t))), "e-mail owner", "what is left")
		a.MustBeWhole(t)
	})
}

// of returns Ada for a part of a test.
func (a ada) of(t testing.TB) ada {
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
	a.Call(a.TB, fixture.To("listMails"), fixture.Token(a.keyText), nil).Decode(a.TB, &list)
	return list.Payload
}

// newsletter sends Ada a newsletter, and returns the answer and the address by which she unsubscribes.
func (a ada) newsletter() (answer fixture.Answer, leave string) {
	a.Helper()
	answer = a.Call(a.TB, fixture.To("sendMail"), nil, fixture.Object{
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

// TestWhatComesLaterOfAForgottenPerson: an event of SES brings a mail back into the log, and a second run takes it out.
// A newsletter leaves her out as before, and a return to the list counts, also while the command runs.
func TestWhatComesLaterOfAForgottenPerson(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		a := knowAda(t)
		sent, leave := a.newsletter()
		a.settle()
		a.forget("--user")
		onlyOthers := func(t testing.TB, more ...string) {
			t.Helper()
			want := slices.Sorted(slices.Values(append([]string{"unsubscribe", "user"}, more...)))
			expect.Equal(t, tracesIn(t, a.Items(t)), want)
		}
		onlyOthers(t) // her unsubscribe, and the attributes that an app gave Ben
		localtest.Case(t, "a late event", func(t testing.TB) {
			a := a.of(t)
			a.loseOf(sent.Body["id"].(string), adas)
			expect.Equal(t, printed[redriven](a.shell, "events", "redrive").Recorded, 1)
			onlyOthers(t, "event of a mail", "mail in a log")
			expect.Equal(t, a.forget().Changed, map[string]int{"event of a mail": 1, "mail in a log": 1})
			onlyOthers(t)
		})
		const form = "application/x-www-form-urlencoded"
		press := func(t testing.TB, button string) string {
			t.Helper()
			answer, err := a.Client().Post(leave, form, strings.NewReader("List-Unsubscribe="+button))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			expect.Equal(t, answer.StatusCode, http.StatusOK)
			page, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			return string(page)
		}
		localtest.Case(t, "a newsletter leaves her out, and a return counts", func(t testing.TB) {
			a := a.of(t)
			expect.Contains(t, press(t, "One-Click"), "You are unsubscribed", "page")
			a.forget()
			answer, _ := a.newsletter()
			expect.Equal(t, answer.Body["code"], "unsubscribed", "the newsletter after a forgetting")
			onlyOthers(t) // the log does not say who was left out
			// She returns while the command runs: before each write of a forgetting that takes unsubscribes, too.
			back := a.refusing(func(operation string) string {
				if operation == "TransactWriteItems" {
					expect.Contains(t, press(t, "Undo"), "You get these mails again", "page")
				}
				return ""
			})
			printed[forgotten](back, "person", "forget", "--yes", adas, "--unsubscribes")
			answer, _ = a.newsletter()
			expect.Equal(t, answer.Body["status"], "success", "the newsletter after her return")
			a.settle()
			expect.Equal(t, tracesIn(t, a.Items(t)), []string{"event of a mail", "mail in a log", "user"})
			a.forget()
			expect.Equal(t, tracesIn(t, a.Items(t)), []string{"user"})
		})
		a.MustBeWhole(t)
	})
}

// TestCallsUnderWayBringBackWhatASecondRunTakes: a mail to her is sent while the command runs. A second run, after it
// has ended, leaves nothing but what the page names.
func TestCallsUnderWayBringBackWhatASecondRunTakes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		a := knowAda(t)
		var scans atomic.Int32
		beside := a.behind(proxy{answered: func(operation string) {
			// The last answer of the scan is on its way: nothing that is stored now is in an answer.
			if operation == "Scan" && scans.Add(1) == 4 {
				a.send("Under way", adasSent, "ben@example.org")
			}
		}})
		printed[forgotten](beside, "person", "forget", "--yes", adas, "--user", "--unsubscribes")
		expect.Equal(t, scans.Load(), 4, "scans")
		a.settle()
		expect.Equal(t, tracesIn(t, a.Items(t)), []string{"event of a mail", "mail in a log", "user"})
		a.forget("--user", "--unsubscribes")
		expect.Equal(t, tracesIn(t, a.Items(t)), []string{"user"}, "traces: attributes that an app gave another user")
		a.MustBeWhole(t)
	})
}

// TestAnInterruptedForgettingGoesOn: each run fails after a few writes, until none is left.
func TestAnInterruptedForgettingGoesOn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		a := knowAda(t)
		left, runs := 0, 0
		interrupted := a.refusing(func(operation string) string {
			one := strings.HasSuffix(operation, "Item") && operation != "BatchGetItem"
			if !one && operation != "TransactWriteItems" {
				return ""
			}
			if left--; left < 0 {
				return "AccessDeniedException"
			}
			return ""
		})
		for err := errors.New("not run yet"); err != nil; runs++ {
			if left = 4; runs > 20 {
				t.Fatal(err)
			}
			_, err = interrupted.frontdesk("person", "forget", "--yes", adas)
		}
		expect.AtLeast(t, runs, 2)
		expect.Equal(t, tracesIn(t, a.Items(t)), []string{"e-mail owner", "unsubscribe", "user"})
		a.MustBeWhole(t)
	})
}

// TestAfterARestoreAPersonIsForgottenAgain: a restored table has a person who was forgotten since the backup. Once it
// is reopened, the command forgets the person again, as the last step of the runbook does.
func TestAfterARestoreAPersonIsForgottenAgain(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		a := knowAda(t)
		r := restored{shell: a.shell, backup: a.Items(t), at: time.Now().UTC().Add(-time.Second).Truncate(time.Second)}
		a.forget("--user", "--unsubscribes")
		at, o := r.restore(t, "restored")
		in := []string{"--table-name", at.Name()}
		expect.AtLeast(t, len(tracesIn(t, itemsOf(t, at))), 8, "kinds that have her in the backup")
		reopen := more(in, "table", "reopen", "--yes", "--from", a.Table.Name())
		o.prints(more(reopen, endings(t, o, at.Name(), a.Table.Name())...)...)
		o.prints(more(in, "person", "forget", "--yes", adas, "--user", "--unsubscribes")...)
		expect.Equal(t, tracesIn(t, itemsOf(t, at)), []string{"user"},
			"traces: attributes that an app gave another user")
		whole, err := check.Run(t.Context(), at, registry.Kinds(), check.Options{})
		expect.Equal(t, err, nil)
		expect.Equal(t, whole.Unmended(), 0, "faults")
	})
}
