package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// redriven is what events redrive prints as JSON.
type redriven struct {
	Recorded, Posted int
	Left             []struct{ Event, For, Why string }
	InFlight         int `json:"in_flight"`
}

// lostEvents is the name of the stack's queue.
func (o *shell) lostEvents() string { return o.Environ()["STACK_NAME"] + "-LostEvents" }

// lose sends a mail, and lets the function fail three times with each event of it. It returns the arguments of mail
// show for this mail.
func (o *shell) lose(denied *awsproxy.Fault) (mail []string) {
	o.Helper()
	o.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
		if c.Function == "RecordMailEventFunction" {
			return denied
		}
		return nil
	})
	tenant := o.NewTenant(o.TB)
	key := filepath.Join(o.TempDir(), "key")
	if err := os.WriteFile(key, []byte(tenant.MailKeyText), 0o600); err != nil {
		o.Fatal(err)
	}
	sent := printed[struct{ ID string }](o, "mail", "send", "--key-file", key, "--to", "ada@example.org",
		"--subject", "Hello", "--text", "Hello")
	if err := o.Lambda().Settle(context.Background()); err != nil {
		o.Fatal(err)
	}
	return []string{"--key-file", key, sent.ID}
}

// TestRedriveRecordsWhatTheMailLogLost: while the cause lasts events stay in the queue, then each is recorded. A
// redrive in vain must lose nothing: it may be run as often as an operator likes.
func TestRedriveRecordsWhatTheMailLogLost(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		mail := o.lose(awsproxy.Refuse(400, "AccessDeniedException", "no"))
		// Lambda tries an asynchronous event three times before it gives it to the queue.
		if n := o.Account().Queues.Len(o.lostEvents()); n != 2 {
			t.Fatalf("the queue has %d events, want Send and Delivery", n)
		}
		out, err := o.frontdesk("events", "redrive")
		if err == nil || err.Error() != "not handed on: 2" {
			t.Errorf("while the cause lasts the error is %v", err)
		}
		if want := "RecordMailEventFunction failed: "; strings.Count(out, want) != 2 {
			t.Errorf("it does not say why, twice: %q", out)
		}
		if n := o.Account().Queues.Len(o.lostEvents()); n != 2 {
			t.Errorf("the queue has %d events after an attempt in vain", n)
		}
		o.AWSProxy().Inject(nil)
		if r := printed[redriven](o, "events", "redrive"); r.Recorded != 2 || r.Posted != 0 || len(r.Left) != 0 {
			t.Errorf("it did %+v", r)
		}
		shown := printed[struct{ Status string }](o, append([]string{"mail", "show"}, mail...)...)
		if shown.Status != "delivered" {
			t.Errorf("the log says of the mail that it is %q", shown.Status)
		}
		if n := o.Account().Queues.Len(o.lostEvents()); n != 0 {
			t.Errorf("the queue has %d events after that", n)
		}
		out, err = o.frontdesk("events", "redrive")
		want := "handed on 0 events to the mail log and 0 to the webhook, failed with 0\n"
		if err != nil || out != want {
			t.Errorf("with an empty queue: %v, %q", err, out)
		}
	})
}

// TestRedrivePostsWhatTheWebhookLost: as EventBridge would have, and to the webhook alone.
func TestRedrivePostsWhatTheWebhookLost(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		d := newDeployment(t, func(o *local.Options) { o.Builds, o.ServicesOnly = "", false })
		secret := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		const event = `{"version":"0","id":"e-1","source":"aws.ses","detail":{"a":"<ü>"}}`
		for name, c := range map[string]struct {
			status int
			noURL  bool
			args   []string
			why    string // "" for an event that is posted
		}{
			"it takes it":   {status: 204, args: []string{"--webhook-secret-file", secret}},
			"it refuses it": {status: 500, args: []string{"--webhook-secret-file", secret}, why: "answers 500"},
			// A redirect is not followed: the secret would go to another host.
			"it leads away": {status: 302, args: []string{"--webhook-secret-file", secret}, why: "answers 302"},
			// CloudFormation does not give the secret back, so the operator has to.
			"without a secret": {status: 204, why: "give --webhook-secret-file"},
			"without a webhook": {
				noURL: true, args: []string{"--webhook-secret-file", secret}, why: "no EventWebhookUrl",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				var got []string
				server := localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, err := io.ReadAll(r.Body)
					given := r.Header.Get("x-webhook-secret")
					got = append(got, fmt.Sprint(r.Method, " ", given, " ", string(body), err))
					w.Header().Set("Location", "/")
					w.WriteHeader(c.status)
				}))
				d.change(func(s *account.State) {
					if has(s, "EventWebhookUrl", server.URL); c.noURL {
						has(s, "EventWebhookUrl", "")
					}
				})
				d.Account().Queues.Send(d.lostEvents(), event, map[string]string{
					"RULE_ARN":   "arn:aws:events:us-east-1:123456789012:rule/frontdesk-EventWebhookRule-1",
					"TARGET_ARN": "arn:aws:events:us-east-1:123456789012:api-destination/frontdesk/6d68ca91",
				})
				// An event for the webhook must not be recorded a second time.
				before := len(d.Lambda().Invocations())
				out, err := d.frontdesk(append([]string{"--json", "events", "redrive"}, c.args...)...)
				want := `{"recorded":0,"posted":1,"left":[],"in_flight":0}` + "\n"
				if c.why == "" && (err != nil || out != want) {
					t.Errorf("it did %v, %s", err, out)
				}
				if c.why != "" && (err == nil || !strings.Contains(out, `"event":"e-1","for":"webhook"`) ||
					!strings.Contains(out, c.why)) {
					t.Errorf("want an error, and %q: %v, %s", c.why, err, out)
				}
				posted := []string{"POST s3cret " + event + "<nil>"}
				if c.noURL || c.args == nil {
					posted = nil
				}
				if !slices.Equal(got, posted) {
					t.Errorf("the webhook got %q, want %q", got, posted)
				}
				if n := len(d.Lambda().Invocations()) - before; n != 0 {
					t.Errorf("functions were invoked %d times", n)
				}
				if c.why != "" { // for the next case
					d.change(func(s *account.State) { has(s, "EventWebhookUrl", taker(t).URL) })
					if _, err := d.frontdesk("events", "redrive", "--webhook-secret-file", secret); err != nil {
						t.Errorf("what was left is not handed on at once: %v", err)
					}
				}
			})
		}
	})
}

// taker is a webhook that takes everything. It answers 200 and reads nothing.
func taker(t testing.TB) *httptest.Server {
	server := localtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	return server
}

// TestRedriveWithoutThePermission names the queue, and what is refused.
func TestRedriveWithoutThePermission(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		o.Account().Queues.Send(o.lostEvents(), "{}", nil)
		o.Account().Change(func(s *account.State) { s.Denied = map[string]bool{"sqs:ReceiveMessage": true} })
		_, err := o.frontdesk("events", "redrive")
		expect.HasPrefix(t, fmt.Sprint(err), "receive from the queue LostEvents: AccessDeniedException: ")
	})
}

// loseNoEvents puts messages into the queue that are no events, with which the function fails.
func (o *shell) loseNoEvents(n int) {
	for range n {
		o.Account().Queues.Send(o.lostEvents(), "no event", nil)
	}
}

// TestRedriveThatIsInterrupted gives back what it has received: another one finds it at once. Without that they would
// stay hidden for an hour. The first request to the webhook is the moment of the interruption.
func TestRedriveThatIsInterrupted(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		ctx, interrupt := context.WithCancel(t.Context())
		server := localtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { interrupt() }))
		o.Account().Change(func(s *account.State) { has(s, "EventWebhookUrl", server.URL) })
		secret := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(secret, []byte("s3cret"), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 15 {
			o.Account().Queues.Send(o.lostEvents(), "{}", map[string]string{
				"TARGET_ARN": "arn:aws:events:us-east-1:123456789012:api-destination/frontdesk/6d68ca91",
			})
		}
		err := o.run(ctx, []string{"--local=" + o.file, "events", "redrive", "--webhook-secret-file", secret})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v, want that it was canceled", err)
		}
		o.Account().Change(func(s *account.State) { has(s, "EventWebhookUrl", taker(t).URL) })
		r := printed[redriven](o, "events", "redrive", "--webhook-secret-file", secret)
		if want := 15; r.Posted != want {
			t.Errorf("the next one posted %d events, want %d", r.Posted, want)
		}
	})
}

// TestRedriveBesideAnother: the command says how many events another receiver has, and fails. An operator must not
// believe that the queue is empty while somebody else holds its messages.
func TestRedriveBesideAnother(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		o.Account().Queues.Send(o.lostEvents(), `{"id":"1","source":"aws.ses"}`, nil)
		queues := sqs.NewFromConfig(o.Operator(), func(s *sqs.Options) {
			s.BaseEndpoint, s.HTTPClient = aws.String(o.Account().URL), o.Client()
		})
		_, err := queues.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
			QueueUrl: aws.String("/" + o.lostEvents()),
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := o.frontdesk("events", "redrive")
		expect.Equal(t, fmt.Sprint(err), "with another receiver: 1")
		expect.Contains(t, out, "about 1 more with another receiver, for an hour at most: run this again then\n")
		o.Account().Queues.Show(o.lostEvents())
		if r := printed[redriven](o, "events", "redrive"); r.Recorded != 1 || r.InFlight != 0 {
			t.Errorf("once they are back it did %+v, want one recorded and none in flight", r)
		}
	})
}

// TestRedriveOfSlowFailures: a slow run receives some events a second time. It still tries all the others, and
// gives back the failed ones by their last receipts.
func TestRedriveOfSlowFailures(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		o.loseNoEvents(25)
		received := 0
		slow := o.refusing(func(operation string) string {
			if operation == "ReceiveMessage" {
				if received++; received == 3 {
					o.Account().Queues.Show(o.lostEvents())
				}
			}
			return ""
		})
		for _, shell := range []*shell{slow, o} {
			_, err := shell.frontdesk("events", "redrive")
			expect.Equal(t, fmt.Sprint(err), "not handed on: 25")
		}
	})
}

// TestRedriveThatCannotGiveAllBack gives back what it can. It gives back ten at a time. The first ten stay hidden,
// and the second run finds the other fifteen.
func TestRedriveThatCannotGiveAllBack(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		o.loseNoEvents(25)
		refused := false
		once := o.refusing(func(operation string) (code string) {
			if strings.HasPrefix(operation, "ChangeMessageVisibility") && !refused {
				refused, code = true, "RequestThrottledForTest"
			}
			return code
		})
		_, err := once.frontdesk("events", "redrive")
		expect.Contains(t, fmt.Sprint(err), "give back to the queue LostEvents: RequestThrottledForTest")
		out, err := o.frontdesk("--json", "events", "redrive")
		expect.Equal(t, fmt.Sprint(err), "not handed on: 15", "error of the next one")
		expect.Contains(t, out, `"in_flight":10`, "out of the next one")
	})
}
