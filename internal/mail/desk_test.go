package mail_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/mail"
	"strings"
	"testing"

	"frontdesk/internal/docs/contracttest"
	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
)

// object and array write JSON in tests.
type (
	object = map[string]any
	array  = []any
)

// desk is a running stack with a mail key and a server of files to attach.
type desk struct {
	stack *local.Stack
	keys  mailkey.Keys
	key   string // of sender@example.com, good for example.com
	id    mailkey.Key
	files *fileServer
}

// open starts a stack whose downloads may reach the tests' file server.
func open(t testing.TB, change ...func(*local.Options)) *desk {
	t.Helper()
	private := func(o *local.Options) { o.Environment = map[string]string{"ALLOW_PRIVATE_DOWNLOADS": "true"} }
	return openStrict(t, append([]func(*local.Options){private}, change...)...)
}

// openStrict starts a stack as it is deployed: downloads reach public addresses alone.
func openStrict(t testing.TB, change ...func(*local.Options)) *desk {
	t.Helper()
	stack := localtest.Start(t, change...)
	d := &desk{
		stack: stack,
		keys:  mailkey.Keys{Table: table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])},
		files: serveFiles(t),
	}
	d.id, d.key = d.newKey(t, mailkey.Key{Name: "test", Sender: mail.Address{Name: "Sender", Address: "sender@example.com"}})
	return d
}

func (d *desk) newKey(t testing.TB, k mailkey.Key) (mailkey.Key, string) {
	t.Helper()
	k, text, err := d.keys.Create(context.Background(), k)
	if err != nil {
		t.Fatal(err)
	}
	return k, text
}

// mail is a small good mail with some fields changed; a nil field is left out.
func (d *desk) mail(change object) object {
	m := object{"key": d.key, "recipients": array{object{"email": "ada@example.org"}}, "text": "Hello"}
	for name, value := range change {
		if m[name] = value; value == nil {
			delete(m, name)
		}
	}
	return m
}

// reply is an answer of the endpoint.
type reply struct {
	HTTP      int
	RequestID string `json:"-"`
	Status    string
	ID        string
	IDs       []string
	Error     string
	Warning   []string
	fields    object
	body      string

	replayed   string // headers
	retryAfter string
}

// post sends a body as it is.
func (d *desk) post(t testing.TB, body string) reply {
	t.Helper()
	return d.postAs(t, "application/json", body)
}

// postAs sends a body of a type, by which API Gateway decides how the function gets it.
func (d *desk) postAs(t testing.TB, contentType, body string) reply {
	t.Helper()
	return d.do(t, http.Header{"Content-Type": {contentType}}, body)
}

// once sends a mail with an Idempotency-Key.
func (d *desk) once(t *testing.T, idempotencyKey string, mail object) reply {
	t.Helper()
	body, err := json.Marshal(mail)
	if err != nil {
		t.Fatal(err)
	}
	return d.do(t, http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {idempotencyKey}}, string(body))
}

func (d *desk) do(t testing.TB, header http.Header, body string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.stack.URL()+"/sender.php", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	response, err := contracttest.Client(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	r := reply{
		body: string(raw),
		HTTP: response.StatusCode, RequestID: response.Header.Get("apigw-requestid"),
		replayed: response.Header.Get("Idempotent-Replayed"), retryAfter: response.Header.Get("Retry-After"),
	}
	for _, into := range []any{&r, &r.fields} {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatalf("answer %d %s: %v", response.StatusCode, raw, err)
		}
	}
	return r
}

// send sends a mail.
func (d *desk) send(t testing.TB, mail object) reply {
	t.Helper()
	body, err := json.Marshal(mail)
	if err != nil {
		t.Fatal(err)
	}
	return d.post(t, string(body))
}

// mustSend sends a mail that has to succeed, and gives it as SES got it.
func (d *desk) mustSend(t *testing.T, mail object) (parsed, reply) {
	t.Helper()
	r := d.send(t, mail)
	if r.HTTP != http.StatusOK || r.Status != "success" || r.ID == "" || r.Error != "" {
		t.Fatalf("answer %+v", r)
	}
	return d.captured(t, r.ID), r
}

// captured is the mail that SES got under an id.
func (d *desk) captured(t *testing.T, id string) parsed {
	t.Helper()
	raw, ok := d.stack.Outbox().Raw(id)
	if !ok {
		t.Fatalf("SES has no mail %s", id)
	}
	p := parse(t, raw)
	for _, m := range d.stack.Outbox().Mails() {
		if m.ID == id {
			p.from, p.to = m.From, m.To
		}
	}
	return p
}

// asked is what SES was asked to do, beside the message itself.
type asked struct {
	ConfigurationSetName *string
	EmailTags            []tag
}

type tag struct{ Name, Value string }

// asked is what SES was asked for behind an answer: at least once.
func (d *desk) asked(t *testing.T, r reply) []asked {
	t.Helper()
	var all []asked
	for _, call := range d.stack.Gate().Calls(r.RequestID) {
		if call.Action != "SendEmail" {
			continue
		}
		var a asked
		if err := json.Unmarshal(call.Body, &a); err != nil {
			t.Fatalf("the request for SES: %v", err)
		}
		all = append(all, a)
	}
	if len(all) == 0 {
		t.Fatal("SES was not asked")
	}
	return all
}

// refused checks that a mail is an error with that message, and that nothing was sent or fetched for it.
func (d *desk) refused(t *testing.T, mail object, status int, want string) {
	t.Helper()
	sent, fetched := len(d.stack.Outbox().Mails()), d.files.count()
	r := d.send(t, mail)
	if r.HTTP != status || r.Status != "error" || !strings.Contains(r.Error, want) {
		t.Errorf("answer %d %s %q, want %d error %q", r.HTTP, r.Status, r.Error, status, want)
	}
	if _, has := r.fields["id"]; has {
		t.Errorf("the answer has an id: %v", r.fields)
	}
	if n := len(d.stack.Outbox().Mails()); n != sent {
		t.Errorf("%d mails were sent", n-sent)
	}
	if n := d.files.count(); n != fetched {
		t.Errorf("%d files were fetched", n-fetched)
	}
}

// with is an object with some more fields.
func with(o object, more object) object {
	all := maps.Clone(o)
	maps.Copy(all, more)
	return all
}

// attachment is a list of one attachment.
func attachment(url string, more object) array { return array{with(object{"url": url}, more)} }

func defaultSender(sender string) func(*local.Options) {
	return func(o *local.Options) { o.Parameters = map[string]string{"DefaultSender": sender} }
}
