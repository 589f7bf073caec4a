package mail_test

import (
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
)

// sentMails is how many mails SES has.
func (d *desk) sentMails() int { return len(d.stack.Outbox().Mails()) }

// calls are the round trips of a request.
func (d *desk) calls(r reply) []string { return actions(d.stack.Gate().Calls(r.RequestID)) }

func TestTheSameKeySendsOnce(t *testing.T) {
	d := open(t)
	m := d.mail(object{"<tex&>": "a typo", "text": "Hello", "attachments": attachment(d.files.URL+"/hello.txt", nil)})
	first := d.once(t, "one", m)
	if first.Status != "success" || first.ID == "" || len(first.Warning) != 1 || first.replayed != "" {
		t.Fatalf("first answer %+v", first)
	}
	if got, want := d.calls(first), []string{"BatchGetItem", "PutItem", "PutItem", "SendEmail", "PutItem"}; !slices.Equal(got, want) {
		t.Errorf("round trips %q, want %q", got, want)
	}
	fetched := d.files.count()
	again := d.once(t, "one", m)
	if again.HTTP != http.StatusOK || again.body != first.body || again.replayed != "true" {
		t.Errorf("answer %+v, want the first one, %+v", again, first)
	}
	if got := d.calls(again); !slices.Equal(got, []string{"BatchGetItem"}) {
		t.Errorf("round trips %q, want one", got)
	}
	if d.sentMails() != 1 || d.files.count() != fetched {
		t.Errorf("%d mails, and %d files were fetched again", d.sentMails(), d.files.count()-fetched)
	}

	_, other := d.newKey(t, mailkey.Key{Name: "other", Sender: mail.Address{Address: "other@example.com"}})
	for name, c := range map[string]struct {
		idempotencyKey string
		mail           object
		status         int
		want           string
		sent           int
	}{
		"another body":                         {"one", with(m, object{"text": "Bye"}), 422, "the Idempotency-Key was used for another mail", 0},
		"another body, and a bad one":          {"one", with(m, object{"recipients": array{}}), 422, "the Idempotency-Key was used for another mail", 0},
		"another Idempotency-Key":              {"two", m, 200, "", 1},
		"the same, of another mail key":        {"one", with(m, object{"key": other}), 200, "", 1},
		"a bad mail key: nothing is told":      {"one", with(m, object{"key": d.key + "0"}), 401, "key is missing or not a valid API key", 0},
		"upper case makes another of it":       {"ONE", m, 200, "", 1},
		"256 characters, the last one differs": {strings.Repeat("x", 255) + "y", m, 200, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			before := d.sentMails()
			r := d.once(t, c.idempotencyKey, c.mail)
			if r.HTTP != c.status || !strings.Contains(r.Error, c.want) || (r.Error == "") != (c.want == "") || r.replayed != "" {
				t.Errorf("answer %+v, want %d %q", r, c.status, c.want)
			}
			if n := d.sentMails() - before; n != c.sent {
				t.Errorf("%d mails, want %d", n, c.sent)
			}
		})
	}
}

func TestIdempotencyKeysThatAreNone(t *testing.T) {
	d := open(t)
	for name, key := range map[string]string{
		"empty": "", "a space": "a b", "257 characters": strings.Repeat("x", 257), "not ASCII": "clé", "a tab": "a\tb",
	} {
		t.Run(name, func(t *testing.T) {
			r := d.once(t, key, d.mail(nil))
			if r.HTTP != http.StatusBadRequest || !strings.HasPrefix(r.Error, "the header Idempotency-Key must have 1 to 256 characters, all of them visible ASCII") {
				t.Errorf("answer %+v", r)
			}
		})
	}
	if r := d.once(t, "", d.mail(object{"key": "guess"})); r.HTTP != http.StatusUnauthorized {
		t.Errorf("with a bad mail key as well: %+v", r)
	}
	if n := d.sentMails(); n != 0 {
		t.Errorf("%d mails", n)
	}
}

// TestWhatWasNotSentCanBeSentUnderTheSameKey: an error after which the mail may be sent is not everybody's.
func TestWhatWasNotSentCanBeSentUnderTheSameKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change object
		fault  func(local.Call) *local.Fault
		status int
		want   string
		calls  []string
	}{
		"against a rule, and nothing was written": {
			object{"recipients": array{}}, nil, 200, "recipients must name at least one recipient", []string{"BatchGetItem"},
		},
		"a download that fails": {
			object{"attachments": attachment("http://127.0.0.1:1/x", nil)}, nil, 200, "attachments[0].url could not be downloaded", []string{"BatchGetItem", "PutItem", "PutItem"},
		},
		"SES throttles to the end": {
			nil, ses(local.Throttled), 200, "the mail was not sent: SES is asked too often at the moment", nil,
		},
		"the record cannot be written": {
			nil, action("PutItem", local.ServerError), 500, "Internal error", nil,
		},
		"that SES is asked cannot be written": {
			nil, after(1, "PutItem", local.ServerError), 500, "Internal error", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The lease of a request whose record could not be written at all is waited for below.
			d := open(t, shortLived(t))
			d.stack.Gate().Inject(c.fault)
			m := d.mail(c.change)
			r := d.once(t, "k", m)
			if r.HTTP != c.status || !strings.Contains(r.Error, c.want) || d.sentMails() != 0 {
				t.Fatalf("answer %+v, want %d %q", r, c.status, c.want)
			}
			if got := d.calls(r); c.calls != nil && !slices.Equal(got, c.calls) {
				t.Errorf("round trips %q, want %q", got, c.calls)
			}
			d.stack.Gate().Inject(nil)
			if len(c.change) > 0 { // it stays as it is: the same again
				if again := d.once(t, "k", m); again.HTTP != r.HTTP || again.Error != r.Error || again.replayed != "" {
					t.Errorf("again: %+v", again)
				}
				return
			}
			if last, _ := d.insist(t, "k", m); last.Status != "success" || last.replayed != "" || d.sentMails() != 1 {
				t.Errorf("again: %+v, and %d mails", last, d.sentMails())
			}
		})
	}
}

// insist sends a mail until there is an answer that is final, and counts those before it that were 409.
func (d *desk) insist(t *testing.T, idempotencyKey string, m object) (r reply, conflicts int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		r = d.once(t, idempotencyKey, m)
		switch {
		case r.HTTP == http.StatusOK:
			return r, conflicts
		case r.HTTP == http.StatusConflict && (r.retryAfter == "" || !strings.Contains(r.Error, "another request with this Idempotency-Key is being served")):
			t.Fatalf("answer %+v", r)
		case r.HTTP != http.StatusConflict && r.HTTP != http.StatusInternalServerError || time.Now().After(deadline):
			t.Fatalf("answer %+v", r)
		case r.HTTP == http.StatusConflict:
			conflicts++
		}
	}
}

// shortLived gives send-mail 8 seconds, and so its leases 9; SES is asked in the first two of them.
func shortLived(t *testing.T) func(*local.Options) {
	return func(o *local.Options) { o.Template = localtest.EditTemplate(t, "Timeout: 29", "Timeout: 8") }
}

// TestAHundredClientsWithOneKey: whatever the others meanwhile get, there is one mail.
func TestAHundredClientsWithOneKey(t *testing.T) {
	d := open(t)
	m := d.mail(nil)
	ids := make([]string, 100)
	var wait sync.WaitGroup
	for i := range ids {
		wait.Go(func() {
			r, _ := d.insist(t, "one", m)
			if r.Status != "success" {
				t.Errorf("answer %+v", r)
			}
			ids[i] = r.ID
		})
	}
	wait.Wait()
	if slices.Sort(ids); ids[0] == "" || len(slices.Compact(ids)) != 1 {
		t.Errorf("ids %q", slices.Compact(ids))
	}
	if n := d.sentMails(); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
}

func TestARequestThatIsStillServed(t *testing.T) {
	t.Parallel()
	d := open(t)
	reached, release, sent := make(chan struct{}), make(chan struct{}), make(chan reply, 1)
	d.stack.Gate().Inject(func(c local.Call) *local.Fault {
		if c.Service == "ses" {
			close(reached)
			<-release
		}
		return nil
	})
	m := d.mail(nil)
	go func() { sent <- d.once(t, "k", m) }()
	<-reached
	busy := d.once(t, "k", m)
	if busy.HTTP != http.StatusConflict || busy.retryAfter != "1" || busy.Status != "error" || busy.Error != "another request with this Idempotency-Key is being served" {
		t.Errorf("meanwhile: %+v", busy)
	}
	if other := d.once(t, "k", d.mail(object{"text": "Bye"})); other.HTTP != http.StatusUnprocessableEntity {
		t.Errorf("meanwhile, with another body: %+v", other)
	}
	close(release)
	first := <-sent
	if r := d.once(t, "k", m); first.Status != "success" || r.ID != first.ID || r.replayed != "true" || d.sentMails() != 1 {
		t.Errorf("first %+v, then %+v", first, r)
	}
}

const (
	unknown = "the mail may or may not have been sent: the request that sent it ended before SES had answered"
	lost    = "the mail may or may not have been sent: the connection to SES was lost"
)

// TestKilledAtEveryStep: never two mails, never a success without one, and never an error that hides a mail.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    func(local.Call) *local.Fault
		captured int
		want     string // error of the last answer, "" for success
		waits    bool   // for the end of the lease
	}{
		"before the key is read":         {nth(1, "BatchGetItem", local.KillBefore), 1, "", false},
		"after the key is read":          {nth(1, "BatchGetItem", local.KillAfter), 1, "", false},
		"before the record":              {nth(1, "PutItem", local.KillBefore), 1, "", false},
		"after the record":               {nth(1, "PutItem", local.KillAfter), 1, "", true},
		"before it is noted as sending":  {nth(2, "PutItem", local.KillBefore), 1, "", true},
		"after it is noted as sending":   {nth(2, "PutItem", local.KillAfter), 0, unknown, true},
		"before SES has it":              {nth(1, "SendEmail", local.KillBefore), 0, unknown, true},
		"after SES has it":               {nth(1, "SendEmail", local.KillAfter), 1, unknown, true},
		"before the answer is written":   {nth(3, "PutItem", local.KillBefore), 1, unknown, true},
		"before the answer, after it is": {nth(3, "PutItem", local.KillAfter), 1, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, shortLived(t))
			d.stack.Gate().Inject(c.fault)
			m := d.mail(nil)
			if killed := d.once(t, "k", m); killed.HTTP != http.StatusInternalServerError || killed.Status != "" {
				t.Fatalf("the request whose process is killed: %+v", killed)
			}
			r, conflicts := d.insist(t, "k", m)
			if r.Error != c.want || (r.Status == "success") != (c.want == "") {
				t.Errorf("answer %+v, want error %q", r, c.want)
			}
			if waited := conflicts > 0; waited != c.waits {
				t.Errorf("%d answers of 409 came before it", conflicts)
			}
			if again := d.once(t, "k", m); again.replayed != "true" || again.body != r.body {
				t.Errorf("again: %+v, want %+v", again, r)
			}
			if n := d.sentMails(); n != c.captured {
				t.Errorf("%d mails, want %d", n, c.captured)
			}
		})
	}
}

// TestLostAnswersOfTheTable: a write that is repeated, though it was done, is not taken for another request's.
func TestLostAnswersOfTheTable(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(local.Call) *local.Fault{
		"of the claim":                 nth(1, "PutItem", local.CutAfter),
		"of what notes it as sending":  nth(2, "PutItem", local.CutAfter),
		"of the answer":                nth(3, "PutItem", local.CutAfter),
		"of the claim, twice":          firstN(2, "PutItem", local.CutAfter),
		"never done at all":            nth(1, "PutItem", local.CutBefore),
		"the answer is never written":  after(2, "PutItem", local.ServerError),
		"throttled in between, thrice": firstN(3, "PutItem", local.Throttled),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.stack.Gate().Inject(fault)
			if r := d.once(t, "k", d.mail(nil)); r.Status != "success" || d.sentMails() != 1 {
				t.Errorf("answer %+v, %d mails", r, d.sentMails())
			}
		})
	}
}

func TestAnAnswerOfSESThatIsLostIsFinal(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]*local.Fault{"after it was sent": local.CutAfter, "before it was": local.CutBefore} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.stack.Gate().Inject(nth(1, "SendEmail", fault))
			r := d.once(t, "k", d.mail(nil))
			captured := d.sentMails()
			again := d.once(t, "k", d.mail(nil))
			if r.Error != lost || again.Error != lost || again.replayed != "true" || d.sentMails() != captured {
				t.Errorf("answer %+v, then %+v, %d mails", r, again, d.sentMails())
			}
		})
	}
}

// TestAKeyIsForgottenAfterADay: by its time, whether DynamoDB has deleted the record or not.
func TestAKeyIsForgottenAfterADay(t *testing.T) {
	d := open(t)
	d.once(t, "k", d.mail(nil))
	var records []struct {
		table.Key
		ExpiresAt int64 `dynamo:"expires_at"`
	}
	if err := d.keys.Table.Scan().Filter("begins_with(PK, ?)", table.Idempotencies).All(t.Context(), &records); err != nil || len(records) != 1 {
		t.Fatalf("records %+v, %v", records, err)
	}
	r := records[0]
	if left := time.Until(time.Unix(r.ExpiresAt, 0)); left < 24*time.Hour-time.Minute || left > 24*time.Hour {
		t.Errorf("it is kept for %s", left)
	}
	past := d.keys.Table.Update("PK", r.PK).Range("SK", r.SK).Set(table.ExpiresAt, time.Now().Unix()-1)
	if err := past.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := d.once(t, "k", d.mail(object{"text": "Another"})); r.Status != "success" || r.replayed != "" || d.sentMails() != 2 {
		t.Errorf("answer %+v, %d mails", r, d.sentMails())
	}
}

// TestARecordInUseIsNotForgotten: who begins shortly before a key's time is over has its lease all the same.
func TestARecordInUseIsNotForgotten(t *testing.T) {
	t.Parallel()
	d := open(t)
	reached, sent := make(chan struct{}), make(chan reply, 1)
	d.stack.Gate().Inject(func(c local.Call) *local.Fault {
		if c.Service != "ses" {
			return nil
		}
		close(reached)
		return local.Delay(time.Second)
	})
	go func() { sent <- d.once(t, "k", d.mail(nil)) }()
	<-reached
	var records []table.Key
	if err := d.keys.Table.Scan().Filter("begins_with(PK, ?)", table.Idempotencies).All(t.Context(), &records); err != nil || len(records) != 1 {
		t.Fatalf("records %+v, %v", records, err)
	}
	past := d.keys.Table.Update("PK", records[0].PK).Range("SK", records[0].SK).Set(table.ExpiresAt, time.Now().Unix()-1)
	if err := past.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if busy := d.once(t, "k", d.mail(nil)); busy.HTTP != http.StatusConflict {
		t.Errorf("meanwhile: %+v", busy)
	}
	if first := <-sent; first.Status != "success" || d.sentMails() != 1 {
		t.Errorf("answer %+v, %d mails", first, d.sentMails())
	}
}
