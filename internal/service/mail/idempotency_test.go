package mail_test

import (
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// TestTheSameKeySendsOnce: a second request gets the same bytes, after one read and without a download. The cases
// show what makes a key another key, and that a bad mail key learns nothing of the record. Another body under a used
// key is 422, as the Internet draft for the header suggests.
func TestTheSameKeySendsOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		// Encoders of JSON differ on < > and &. The warning that repeats this name has to come back the same to the
		// byte.
		m := s.mail(object{
			"<tex&>": "a typo", "text": "Hello", "attachments": attachment(s.files.URL+"/hello.txt", nil),
		})
		first := s.sendOnce(t, "one", m)
		first.Is(t, http.StatusOK, object{"status": "success"})
		expect.Not(t, first.ID, "")
		expect.Equal(t, len(first.Warning), 1)
		expect.Equal(t, first.replayed(), "")
		want := []string{"BatchGetItem", "PutItem", "PutItem", "SendEmail", "PutItem"}
		if got := s.Actions(first.Answer); !slices.Equal(got, want) {
			t.Errorf("round trips %q, want %q", got, want)
		}
		fetched := s.files.count()
		again := s.sendOnce(t, "one", m)
		again.Is(t, http.StatusOK, nil)
		expect.Equal(t, again.Raw, first.Raw)
		expect.Equal(t, again.replayed(), "true")
		if got := s.Actions(again.Answer); !slices.Equal(got, []string{"BatchGetItem"}) {
			t.Errorf("round trips %q, want one", got)
		}
		expect.Equal(t, s.sentMails(), 1)
		expect.Equal(t, s.files.count(), fetched)

		_, other := s.NewMailKey(t, mailkey.Key{Name: "other", Sender: mail.Address{Address: "other@example.com"}})
		for name, c := range map[string]struct {
			idempotencyKey string
			mail           object
			status         int
			want           string
			sent           int
		}{
			"another body": {
				idempotencyKey: "one",
				mail:           fixture.With(m, object{"text": "Bye"}), status: 422,
				want: "the Idempotency-Key was used for another mail",
			},
			// The record is read before the rules: the answer is about the key, not about the recipients.
			"another body, and a bad one": {
				idempotencyKey: "one",
				mail:           fixture.With(m, object{"recipients": array{}}), status: 422,
				want: "the Idempotency-Key was used for another mail",
			},
			"another Idempotency-Key": {
				idempotencyKey: "two",
				mail:           m, status: 200, sent: 1,
			},
			"the same, of another mail key": {
				idempotencyKey: "one",
				mail:           fixture.With(m, object{"key": other}), status: 200, sent: 1,
			},
			// Whoever has no mail key learns not even that there is such an Idempotency-Key.
			"a bad mail key: nothing is told": {
				idempotencyKey: "one",
				mail:           fixture.With(m, object{"key": s.key + "0"}), status: 401,
				want: "key is not a valid API key",
			},
			"upper case makes another of it": {
				idempotencyKey: "ONE",
				mail:           m, status: 200, sent: 1,
			},
			"256 characters, the last one differs": {
				idempotencyKey: strings.Repeat("x", 255) + "y",
				mail:           m, status: 200, sent: 1,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				before := s.sentMails()
				r := s.sendOnce(t, c.idempotencyKey, c.mail)
				r.Is(t, c.status, nil)
				expect.Contains(t, r.Error, c.want)
				expect.Equal(t, r.Error == "", c.want == "")
				expect.Equal(t, r.replayed(), "")
				if n := s.sentMails() - before; n != c.sent {
					t.Errorf("%d mails, want %d", n, c.sent)
				}
			})
		}
	})
}

// TestRoundTrips counts the round trips of a mail. A download costs one more write: the claim, which comes before the
// download, cannot be the write that comes right before SES.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		file, text := attachment(s.files.URL+"/hello.txt", nil), s.files.URL+"/hello.txt"
		inline := array{object{"content": "eA==", "filename": "a.txt"}}
		unlimited := s.key
		s.useLimitedKey(t, 10_000)
		const read, put, count, send = "BatchGetItem", "PutItem", "UpdateItem", "SendEmail"
		const four = send + " " + send + " " + send + " " + send // groups are sent side by side
		for name, c := range map[string]struct {
			change object
			quota  bool
			once   bool // with an Idempotency-Key
			want   []string
		}{
			"a mail":           {want: []string{read, send}},
			"with a quota":     {quota: true, want: []string{read, count, send}},
			"sent once":        {once: true, want: []string{read, put, send, put}},
			"once, by a quota": {once: true, quota: true, want: []string{read, put, count, send, put}},
			// A file in the request is there already: nothing can fail between the claim and SES.
			"once, a file": {once: true, change: object{"attachments": inline}, want: []string{read, put, send, put}},
			"once, a file behind a URL": {
				once: true, change: object{"attachments": file}, want: []string{read, put, put, send, put},
			},
			"once, a text behind a URL": {
				once: true, change: object{"text": nil, "texturl": text}, want: []string{read, put, put, send, put},
			},
			// Nothing is fetched, so nothing is written for it.
			"once, a URL that loses to a string": {
				once: true, change: object{"texturl": text}, want: []string{read, put, send, put},
			},
			"once, a file behind a URL, by a quota": {
				once: true, quota: true, change: object{"attachments": file},
				want: []string{read, put, count, put, send, put},
			},
			// The first write records four groups, as many as are sent side by side. The fifth one needs a write of
			// its own.
			"once, four groups": {
				once: true, change: object{"recipients": recipients("to", 200)},
				want: []string{read, put, four, put},
			},
			// A separate mail claims first, and records each recipient before SES is asked for him.
			"once, separate: the claim, and a recipient": {
				once: true, change: object{"config": array{"separate"}}, want: []string{read, put, put, send, put},
			},
			"once, five groups": {
				once: true, change: object{"recipients": recipients("to", 201)},
				want: []string{read, put, four, put, send, put},
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m := s.mail(c.change)
				if !c.quota {
					m["key"] = unlimited
				}
				header := http.Header{}
				if c.once {
					header.Set("Idempotency-Key", strings.ReplaceAll(name, " ", "-"))
				}
				r := s.post(t, header, m)
				r.Is(t, http.StatusOK, object{"status": "success"})
				expect.Equal(t, s.Rounds(r.Answer), c.want)
			})
		}
	})
}

// TestIdempotencyKeysThatAreNone: a malformed Idempotency-Key is 400, and a bad mail key beside it is 401 as always.
func TestIdempotencyKeysThatAreNone(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, key := range map[string]string{
			"empty": "", "a space": "a b", "257 characters": strings.Repeat("x", 257), "not ASCII": "clé",
			"a tab": "a\tb",
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.sendOnce(t, key, s.mail(nil))
				const want = "the header Idempotency-Key must have 1 to 256 characters, all of them visible ASCII"
				r.Is(t, http.StatusBadRequest, nil)
				expect.HasPrefix(t, r.Error, want)
			})
		}
		if r := s.sendOnce(t, "", s.mail(object{"key": "guess"})); r.Status != http.StatusUnauthorized {
			t.Errorf("with a bad mail key as well: %+v", r)
		}
		if n := s.sentMails(); n != 0 {
			t.Errorf("%d mails", n)
		}
	})
}

// TestWhatWasNotSentCanBeSentUnderTheSameKey: if the mail was certainly not sent, its answer is not stored. The same
// request tries again, and sends the mail if the cause is gone.
func TestWhatWasNotSentCanBeSentUnderTheSameKey(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			change object
			files  bool // it has one behind a URL
			fault  func(awsproxy.Call) *awsproxy.Fault
			status int
			want   string
			calls  []string
		}{
			"against a rule, and nothing was written": {
				change: object{"recipients": array{}}, status: 200, want: "recipients must name at least one recipient",
				calls: []string{"BatchGetItem"},
			},
			"a download that fails": {
				change: object{"attachments": attachment("http://127.0.0.1:1/x", nil)},
				status: 200, want: "attachments[0].url could not be downloaded",
				calls: []string{"BatchGetItem", "PutItem", "PutItem"},
			},
			"SES throttles to the end": {
				fault: ses(awsproxy.Throttled), status: 200,
				want: "the mail was not sent: SES is asked too often at the moment",
			},
			"the record cannot be written": {
				fault: action("PutItem", awsproxy.ServerError), status: 503, want: unavailable,
			},
			"that SES is asked cannot be written": {
				files: true, fault: after(1, "PutItem", awsproxy.ServerError), status: 503, want: unavailable,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				// The lease of a request whose record could not be written at all is waited for below.
				s := start(t)
				s.inject(c.fault)
				m := s.mail(c.change)
				if c.files {
					m["attachments"] = attachment(s.files.URL+"/hello.txt", nil)
				}
				r := s.sendOnce(t, "k", m)
				r.Is(t, c.status, nil)
				expect.Contains(t, r.Error, c.want)
				expect.Equal(t, s.sentMails(), 0)
				if got := s.Actions(r.Answer); c.calls != nil && !slices.Equal(got, c.calls) {
					t.Errorf("round trips %q, want %q", got, c.calls)
				}
				s.inject(nil)
				if len(c.change) > 0 { // it stays as it is: the same again
					again := s.sendOnce(t, "k", m)
					again.Is(t, r.Status, nil)
					expect.Equal(t, again.Error, r.Error, "again")
					expect.Equal(t, again.replayed(), "", "again")
					return
				}
				last, _ := s.sendUntilFinal(t, "k", m)
				last.Is(t, http.StatusOK, object{"status": "success"})
				expect.Equal(t, last.replayed(), "", "again")
				expect.Equal(t, s.sentMails(), 1, "again")
			})
		}
	})
}

const unavailable = "Not available at the moment, please try again"

// sendUntilFinal sends a mail each second, as Retry-After says, until it gets a final answer, for at most a minute.
// It counts the answers of 409 before.
func (s *stack) sendUntilFinal(t testing.TB, idempotencyKey string, m object) (r answer, conflicts int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		r = s.sendOnce(t, idempotencyKey, m)
		switch {
		case r.Status == http.StatusOK:
			return r, conflicts
		case r.Status == http.StatusConflict &&
			(r.retryAfter() == "" || !strings.Contains(r.Error, inUse)):
			t.Fatalf("answer %+v", r)
		case r.Status != http.StatusConflict && r.Status != http.StatusServiceUnavailable &&
			r.Status != http.StatusInternalServerError ||
			time.Now().After(deadline):
			t.Fatalf("answer %+v", r)
		case r.Status == http.StatusConflict:
			conflicts++
		}
	}
}

// TestManyClientsWithOneKey: 10 clients send the same mail at once. One mail is sent, and all get its id in the
// end. The claim is a conditional write, which one of them wins.
func TestManyClientsWithOneKey(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.mail(nil)
		ids := make([]string, 10)
		var wait sync.WaitGroup
		for i := range ids {
			wait.Go(func() {
				r, _ := s.sendUntilFinal(t, "one", m)
				if r.Outcome != "success" {
					t.Errorf("answer %+v", r)
				}
				ids[i] = r.ID
			})
		}
		wait.Wait()
		slices.Sort(ids)
		expect.Not(t, ids[0], "")
		expect.Equal(t, len(slices.Compact(ids)), 1)
		if n := s.sentMails(); n != 1 {
			t.Errorf("%d mails, want 1", n)
		}
	})
}

// TestARequestThatIsStillServed: while SES has not answered a request, the same request gets 409, and another body gets
// 422. Afterwards it gets the first answer.
func TestARequestThatIsStillServed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		reached, release, sent := make(chan struct{}), make(chan struct{}), make(chan answer, 1)
		s.inject(fixture.Meanwhile("SendEmail", func() {
			// The first request is with SES now, and stays there until the second one has its answer.
			close(reached)
			<-release
		}))
		m := s.mail(nil)
		go func() { sent <- s.sendOnce(t, "k", m) }()
		<-reached
		busy := s.sendOnce(t, "k", m)
		busy.Is(t, http.StatusConflict, object{"status": "error"})
		expect.Equal(t, busy.retryAfter(), "1", "meanwhile")
		expect.Equal(t, busy.Error, inUse, "meanwhile")
		if other := s.sendOnce(t, "k", s.mail(object{"text": "Bye"})); other.Status != http.StatusUnprocessableEntity {
			t.Errorf("meanwhile, with another body: %+v", other)
		}
		close(release)
		first := <-sent
		r := s.sendOnce(t, "k", m)
		first.Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, r.ID, first.ID)
		expect.Equal(t, r.replayed(), "true")
		expect.Equal(t, s.sentMails(), 1)
	})
}

const (
	inUse   = "another request with this Idempotency-Key is being served"
	unknown = "the mail may or may not have been sent: the request that sent it ended before SES's answer was recorded"
	lost    = "the mail may or may not have been sent: the connection to SES was lost"
)

// TestKilledAtEveryStep kills the process before and after each call. The next requests never send a second mail, never
// answer success without one, and never hide one behind an error. The quota never counts less than was sent.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		type after struct {
			captured int
			want     string // error of the last answer, "" for success
			waits    bool   // for the end of the lease
		}
		// unsent: the record says that SES was not asked, so the mail is sent after the lease. sent and died: the
		// record says that SES is being asked, and only the outbox knows whether it was. atOnce: there is no lease, or
		// an answer already.
		unsent, sent, died := after{1, "", true}, after{1, unknown, true}, after{0, unknown, true}
		atOnce := after{1, "", false}
		for name, c := range map[string]struct {
			files, quota bool // the mail has a file behind a URL, its key a quota
			fault        func(awsproxy.Call) *awsproxy.Fault
			after
			counted int
		}{
			"before the key is read":         {fault: nth(1, "BatchGetItem", awsproxy.KillBefore), after: atOnce},
			"after the key is read":          {fault: nth(1, "BatchGetItem", awsproxy.KillAfter), after: atOnce},
			"before it is noted as sending":  {fault: nth(1, "PutItem", awsproxy.KillBefore), after: atOnce},
			"after it is noted as sending":   {fault: nth(1, "PutItem", awsproxy.KillAfter), after: died},
			"before SES has it":              {fault: nth(1, "SendEmail", awsproxy.KillBefore), after: died},
			"after SES has it":               {fault: nth(1, "SendEmail", awsproxy.KillAfter), after: sent},
			"before the answer is written":   {fault: nth(2, "PutItem", awsproxy.KillBefore), after: sent},
			"before the answer, after it is": {fault: nth(2, "PutItem", awsproxy.KillAfter), after: atOnce},

			"files, before the claim": {
				files: true, fault: nth(1, "PutItem", awsproxy.KillBefore), after: atOnce,
			},
			"files, after the claim": {
				files: true, fault: nth(1, "PutItem", awsproxy.KillAfter), after: unsent,
			},
			"files, before noted as sending": {
				files: true, fault: nth(2, "PutItem", awsproxy.KillBefore), after: unsent,
			},
			"files, after noted as sending": {files: true, fault: nth(2, "PutItem", awsproxy.KillAfter), after: died},

			"before it is counted": {quota: true, fault: nth(1, "UpdateItem", awsproxy.KillBefore), after: died},
			"after it is counted": {
				quota: true, fault: nth(1, "UpdateItem", awsproxy.KillAfter), after: died, counted: 1,
			},
			"files, before it is counted": {
				files: true, quota: true, fault: nth(1, "UpdateItem", awsproxy.KillBefore), after: unsent, counted: 1,
			},
			// The claim notes a name for the reservation: the next request counts under the same name, and so once.
			"files, after it is counted": {
				files: true, quota: true, fault: nth(1, "UpdateItem", awsproxy.KillAfter), after: unsent, counted: 1,
			},
			"files, noted as counted": {
				files: true, quota: true, fault: nth(2, "PutItem", awsproxy.KillAfter), after: died, counted: 1,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				if c.quota {
					s.useLimitedKey(t, 10)
				}
				s.inject(c.fault)
				m := s.mail(nil)
				if c.files {
					m["attachments"] = attachment(s.files.URL+"/hello.txt", nil)
				}
				if killed := s.sendOnce(t, "k", m); killed.Status != http.StatusInternalServerError ||
					killed.Outcome != "" {
					t.Fatalf("the request whose process is killed: %+v", killed)
				}
				r, conflicts := s.sendUntilFinal(t, "k", m)
				if r.Error != c.want || (r.Outcome == "success") != (c.want == "") {
					t.Errorf("answer %+v, want error %q", r, c.want)
				}
				// A request that finds the lease of a dead one gets 409. Without a lease nothing is waited for.
				if waited := conflicts > 0; waited != c.waits {
					t.Errorf("%d answers of 409 came before it", conflicts)
				}
				if again := s.sendOnce(t, "k", m); again.replayed() != "true" || again.Raw != r.Raw {
					t.Errorf("again: %+v, want %+v", again, r)
				}
				if n := s.sentMails(); n != c.captured {
					t.Errorf("%d mails, want %d", n, c.captured)
				}
				if n := s.counted(t); n != c.counted {
					t.Errorf("%d are counted, want %d", n, c.counted)
				}
			})
		}
	})
}

// TestLostAnswersOfTheTable: if the answer to a write is lost, the repeated write finds the first one. It must know
// that as its own, not as another request's, which would be 409.
func TestLostAnswersOfTheTable(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, fault := range map[string]func(awsproxy.Call) *awsproxy.Fault{
			"of what notes it as sending":  nth(1, "PutItem", awsproxy.CutAfter),
			"of the answer":                nth(2, "PutItem", awsproxy.CutAfter),
			"of the first, twice":          firstN(2, "PutItem", awsproxy.CutAfter),
			"never done at all":            nth(1, "PutItem", awsproxy.CutBefore),
			"throttled in between, thrice": firstN(3, "PutItem", awsproxy.Throttled),
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.inject(fault)
				r := s.sendOnce(t, "k", s.mail(nil))
				r.Is(t, http.StatusOK, object{"status": "success"})
				expect.Equal(t, s.sentMails(), 1)
			})
		}
	})
}

// TestAWriteThatIsRefusedOnTheWay: the table refuses the write without which SES must not be asked for more recipients.
// The answer is an internal error if nobody got the mail, and otherwise says how many did. The same request goes on
// with the others.
func TestAWriteThatIsRefusedOnTheWay(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		refuse := awsproxy.Refuse(400, "AccessDeniedException", "")
		for name, c := range map[string]struct {
			change object
			status int
			want   string
			mails  int // messages that SES gets in the end
		}{
			"before anybody got it": {
				object{"config": array{"separate"}}, http.StatusInternalServerError, "Internal error", 1,
			},
			"after some got it": {
				object{"recipients": recipients("many", 250)}, http.StatusOK,
				"the mail reached 200 of 250 recipients; it was not sent to 50: an internal error", 5,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.inject(nth(2, "PutItem", refuse))
				r := s.sendOnce(t, "k", s.mail(c.change))
				r.Is(t, c.status, nil)
				expect.Equal(t, r.Error, c.want)
				s.sendOnce(t, "k", s.mail(c.change)).Is(t, http.StatusOK, object{"status": "success"})
				expect.Equal(t, s.sentMails(), c.mails, "messages")
			})
		}
	})
}

// TestNoWriteIsUndoneByItsOwnRepetition: the first attempt at each write arrives late, after the mail is answered and
// another request has been served. The mail stays sent, and its recipients stay counted. Those of a mail that was not
// sent may be counted once more, which uses up the quota sooner. DynamoDB applies writes in the order in which they
// arrive: only the version in a condition keeps a late one out.
func TestNoWriteIsUndoneByItsOwnRepetition(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 10)
		for name, c := range map[string]struct {
			change object
			sent   int
		}{
			"a mail": {sent: 1},
			"a mail with a file": {
				change: object{"attachments": attachment(s.files.URL+"/hello.txt", nil)}, sent: 1,
			},
			"a mail for each recipient": {change: object{"config": array{"separate"}}, sent: 1},
			"a mail that is not sent":   {change: object{"attachments": attachment("http://127.0.0.1:1/x", nil)}},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				mails, counted := s.sentMails(), s.counted(t)
				m := s.mail(c.change)
				var first answer
				arrive := s.DelayFirstAttempts(t, func() {
					first = s.sendOnce(t, strings.ReplaceAll(name, " ", "-"), m)
				})
				then := s.sendOnce(t, strings.ReplaceAll(name, " ", "-"), m)
				arrive()
				last := s.sendOnce(t, strings.ReplaceAll(name, " ", "-"), m)
				first.Is(t, http.StatusOK, nil)
				expect.Equal(t, then.Raw, first.Raw)
				expect.Equal(t, last.Raw, first.Raw)
				if n := s.sentMails() - mails; n != c.sent {
					t.Errorf("%d mails, want %d", n, c.sent)
				}
				// The recipients of the mail that is not sent are given back, and a late attempt may count them again.
				if n := s.counted(t) - counted; n < c.sent || n > 1 {
					t.Errorf("%d recipients are counted, want %d", n, c.sent)
				}
			})
		}
	})
}

// TestAnAnswerOfSESThatIsLostIsFinal: nobody can know whether SES took the mail, so it is never sent again.
func TestAnAnswerOfSESThatIsLostIsFinal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, fault := range map[string]*awsproxy.Fault{
			"after it was sent": awsproxy.CutAfter, "before it was": awsproxy.CutBefore,
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.inject(nth(1, "SendEmail", fault))
				r := s.sendOnce(t, "k", s.mail(nil))
				captured := s.sentMails()
				again := s.sendOnce(t, "k", s.mail(nil))
				expect.Equal(t, r.Error, lost)
				expect.Equal(t, again.Error, lost)
				expect.Equal(t, again.replayed(), "true")
				expect.Equal(t, s.sentMails(), captured)
			})
		}
	})
}

// TestAKeyIsForgottenAfterADay: a record counts for 24 hours by its own time. DynamoDB deletes expired items up to
// days later.
func TestAKeyIsForgottenAfterADay(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.sendOnce(t, "k", s.mail(nil))
		var records []struct {
			table.Key
			ExpiresAt int64 `dynamo:"expires_at"`
		}
		scan := s.Table.Scan().Filter("begins_with(PK, ?)", table.Idempotencies+s.id.Key()+"#")
		if err := scan.All(t.Context(), &records); err != nil || len(records) != 1 {
			t.Fatalf("records %+v, %v", records, err)
		}
		r := records[0]
		left := time.Until(time.Unix(r.ExpiresAt, 0))
		expect.AtLeast(t, left, 24*time.Hour-time.Minute, "time.Until(time.Unix(r.ExpiresAt, 0))")
		expect.AtMost(t, left, 24*time.Hour, "time.Until(time.Unix(r.ExpiresAt, 0))")
		// A day cannot be waited for: the test sets the time of the record back.
		past := s.Table.Update("PK", r.PK).Range("SK", r.SK).Set(table.ExpiresAt, time.Now().Unix()-1)
		if err := past.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		another := s.sendOnce(t, "k", s.mail(object{"text": "Another"}))
		another.Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, another.replayed(), "")
		expect.Equal(t, s.sentMails(), 2)
	})
}

// TestARecordInUseIsNotForgotten: a request that goes on shortly before the record expires keeps it until its lease
// ends. Otherwise the same request would send a second mail.
func TestARecordInUseIsNotForgotten(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.sendOnce(t, "k", s.mail(nil)).Is(t, http.StatusOK, nil)
		type record struct {
			table.Key
			Lease     time.Time `dynamo:"lease"`
			ExpiresAt time.Time `dynamo:"expires_at,unixtime"`
		}
		recorded := func() record {
			var records []record
			scan := s.Table.Scan().Filter("begins_with(PK, ?)", table.Idempotencies+s.id.Key()+"#")
			if err := scan.All(t.Context(), &records); err != nil || len(records) != 1 {
				t.Fatalf("records %+v, %v", records, err)
			}
			return records[0]
		}
		// So it would stand if the process had died after it claimed the mail, almost a day ago.
		claimed := s.Table.UpdateItem(recorded().Key).Set("state", "claimed").Set("lease", time.Now().Add(-time.Hour)).
			Set(table.ExpiresAt, time.Now().Add(20*time.Second).Unix()).Remove("answer", "groups")
		if err := claimed.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		reached, release, sent := make(chan struct{}), make(chan struct{}), make(chan answer, 1)
		// Also when the test fails early: a request that SES holds would keep the stack from ending.
		answerFirst := sync.OnceFunc(func() { close(release) })
		defer answerFirst()
		s.inject(fixture.Meanwhile("SendEmail", func() {
			close(reached)
			<-release
		}))
		go func() { sent <- s.sendOnce(t, "k", s.mail(nil)) }()
		<-reached
		if r := recorded(); r.ExpiresAt.Before(r.Lease) {
			t.Errorf("the record expires at %s, and its lease ends at %s", r.ExpiresAt, r.Lease)
		}
		if busy := s.sendOnce(t, "k", s.mail(nil)); busy.Status != http.StatusConflict {
			t.Errorf("meanwhile: %+v", busy)
		}
		answerFirst()
		first := <-sent
		first.Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, s.sentMails(), 2)
	})
}

// TestARuleThatChangesBetweenRequests: a mail of which some was sent, and that a rule no longer lets through, is told
// as both. The operator hears of it: the recipients who are left cannot get the mail.
func TestARuleThatChangesBetweenRequests(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.mail(object{
			"recipients": recipients("to", 2), "config": array{"separate"},
			"sender": object{"email": "sender@example.com"},
		})
		s.inject(nth(2, "SendEmail", awsproxy.Refuse(http.StatusBadRequest, "MessageRejected", "not now")))
		s.sendOnce(t, "k", m).Is(t, http.StatusOK, object{"code": "partly_sent"})
		s.inject(nil)
		// The tool cannot take a sender from a key, so the test writes the record.
		err := s.Table.UpdateItem(table.MailKey(s.id)).Set("from", []string{"example.org"}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := s.sendOnce(t, "k", m)
		r.Is(t, http.StatusOK, object{
			"code": "partly_sent",
			"error": "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
				"recipients; to the others it was not sent: sender.email \"sender@example.com\" is not one that this " +
				"key may send as; it may send as example.org",
		})
		expect.Equal(t, s.sentMails(), 1, "mails")
		line := localtest.WaitLog(t, s.Stack.Stack, `"request_id":"`+r.RequestID+`"`)
		expect.Contains(t, line, `"level":"ERROR"`, "the log")
		expect.Contains(t, line, `"code":"partly_sent","cause":"refused","outage":true`, "the log")
	})
}
