package mail_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/mail"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/mail/mailkey"
)

// object and array write JSON in tests.
type (
	object = fixture.Object
	array  = fixture.Array
)

// null is JSON's null. A field that is nil is left out of the mail.
var null = json.RawMessage("null")

// stack is a running stack with a mail key and a server of files to attach.
type stack struct {
	*fixture.Stack
	keys  mailkey.Keys
	key   string // of sender@example.com, good for example.com
	id    id.ID  // of the key
	files *fileServer
}

// start starts a simulated stack.
func start(t testing.TB, change ...func(*local.Options)) *stack {
	t.Helper()
	return withKey(t, fixture.Start(t, change...))
}

// withKey gives a stack a mail key and files.
func withKey(t testing.TB, whole *fixture.Stack) *stack {
	t.Helper()
	s := &stack{Stack: whole, files: serveFiles(t), keys: mailkey.Keys{Table: whole.Table}}
	// Package maillog tests SES's events. Here they would add calls of another function to the faults and counts.
	s.Events().Replace(func(eventbridge.Event) []eventbridge.Event { return nil })
	key := mailkey.Key{Name: "test", Sender: mail.Address{Name: "Sender", Address: "sender@example.com"}}
	key, s.key = s.NewMailKey(t, key)
	s.id = key.ID
	return s
}

// inject gives each call of a function the fault that f returns; nil for none.
func (s *stack) inject(f func(awsproxy.Call) *awsproxy.Fault) { s.AWSProxy().Inject(f) }

// defaultSender is an option for a stack with the parameter DefaultSender.
func defaultSender(sender string) func(*local.Options) {
	return func(o *local.Options) { o.Parameters = map[string]string{"DefaultSender": sender} }
}

// mail is a small good mail with some fields changed; a nil field is left out.
func (s *stack) mail(change object) object {
	good := object{
		"key": s.key, "recipients": array{object{"email": "ada@example.org"}}, "subject": "Hi", "text": "Hello",
	}
	return fixture.With(good, change)
}

// attachment is a list of one attachment.
func attachment(url string, more object) array { return array{fixture.With(object{"url": url}, more)} }

// recipients are n recipients of a mail: name0@example.org, name1@example.org and so on.
func recipients(name string, n int) array {
	list := make(array, n)
	for i := range list {
		list[i] = object{"email": fmt.Sprintf("%s%d@example.org", name, i), "name": fmt.Sprintf("%s Nr. %d", name, i)}
	}
	return list
}

// answer is an answer of the endpoint, with the fields of its body. Its Status is HTTP's.
type answer struct {
	fixture.Answer `json:"-"`

	Outcome string   `json:"status"`
	ID      string   `json:"id"`
	IDs     []string `json:"ids"`
	Code    string   `json:"code"`

	MessageID  string   `json:"message_id"`
	MessageIDs []string `json:"message_ids"`

	Error   string   `json:"error"`
	Warning []string `json:"warning"`
}

func (a answer) String() string     { return fmt.Sprintf("%d %s", a.Status, a.Raw) }
func (a answer) replayed() string   { return a.Header.Get("Idempotent-Replayed") }
func (a answer) retryAfter() string { return a.Header.Get("Retry-After") }

// post sends a mail, or a string as it is.
func (s *stack) post(t testing.TB, header http.Header, body any) answer {
	t.Helper()
	a := answer{Answer: s.Call(t, fixture.To("sendMail"), header, body)}
	a.Decode(t, &a)
	a.checkMessageIDs(t)
	return a
}

// checkMessageIDs checks that each Message-ID of an answer is SES's id at SES's domain. In us-east-1 the domain names
// no region.
func (a answer) checkMessageIDs(t testing.TB) {
	t.Helper()
	var one string
	var all []string
	if a.ID != "" {
		one = "<" + a.ID + "@email.amazonses.com>"
	}
	for _, id := range a.IDs {
		messageID := ""
		if id != "" {
			messageID = "<" + id + "@email.amazonses.com>"
		}
		all = append(all, messageID)
	}
	expect.Equal(t, a.MessageID, one)
	expect.Equal(t, a.MessageIDs, all)
}

// send sends a mail.
func (s *stack) send(t testing.TB, mail object) answer {
	t.Helper()
	return s.post(t, nil, mail)
}

// sendOnce sends a mail with an Idempotency-Key.
func (s *stack) sendOnce(t testing.TB, idempotencyKey string, mail object) answer {
	t.Helper()
	return s.post(t, http.Header{"Idempotency-Key": {idempotencyKey}}, mail)
}

// mustSend sends a mail that must succeed, and returns the message that SES got.
func (s *stack) mustSend(t testing.TB, mail object) (parsed, answer) {
	t.Helper()
	r := s.send(t, mail)
	r.Is(t, http.StatusOK, object{"status": "success", "error": nil})
	return s.captured(t, r.ID), r
}

// mustRefuse sends a mail that must be refused with a status and an error that contains want. Nothing may be sent
// or fetched.
func (s *stack) mustRefuse(t testing.TB, mail object, status int, want string) {
	t.Helper()
	sent, fetched := s.sentMails(), s.files.count()
	r := s.send(t, mail)
	r.Is(t, status, object{"status": "error"})
	expect.Contains(t, r.Error, want)
	if _, has := r.Body["id"]; has {
		t.Errorf("the answer has an id: %v", r.Body)
	}
	if n := s.sentMails(); n != sent {
		t.Errorf("%d mails were sent", n-sent)
	}
	if n := s.files.count(); n != fetched {
		t.Errorf("%d files were fetched", n-fetched)
	}
}

// sentMails returns the number of mails that SES has.
func (s *stack) sentMails() int { return len(s.Outbox().Mails()) }

// captured returns the mail to which SES gave an id.
func (s *stack) captured(t testing.TB, id string) parsed {
	t.Helper()
	raw, ok := s.Outbox().Raw(id)
	if !ok {
		t.Fatalf("SES has no mail %s", id)
	}
	// The outbox keeps the envelope apart from the bytes, as SES does.
	p := parse(t, raw)
	for _, m := range s.Outbox().Mails() {
		if m.ID == id {
			p.from, p.to = m.From, m.To
		}
	}
	return p
}

// sesRequest has the fields of a call of SES beside the message itself.
type sesRequest struct {
	ConfigurationSetName *string
	EmailTags            []tag
}

// tag is a message tag as SES gets it.
type tag struct{ Name, Value string }

// sesRequests returns the calls of SES behind an answer. It fails the test if there are none.
func (s *stack) sesRequests(t testing.TB, a answer) []sesRequest {
	t.Helper()
	var all []sesRequest
	for _, call := range s.AWSProxy().Calls(a.RequestID) {
		if call.Action != "SendEmail" {
			continue
		}
		var r sesRequest
		if err := json.Unmarshal(call.Body, &r); err != nil {
			t.Fatalf("the request for SES: %v", err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		t.Fatal("SES was not asked")
	}
	return all
}
