package bootstraps

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"

	"github.com/aws/aws-lambda-go/events"
)

// object and array write JSON in tests.
type (
	object = fixture.Object
	array  = fixture.Array
)

// stack is a running stack of processes.
type stack struct {
	*fixture.Stack
	name string // AWS::StackName
}

// start starts a stack whose functions may take as long as a slow machine needs.
func start(t testing.TB, change ...func(*local.Options)) stack {
	t.Helper()
	var s stack
	slow := func(o *local.Options) {
		s.name = o.StackName
		o.Template = localtest.EditTemplate(t, "Timeout: 15 #", "Timeout: 900 #", "Timeout: 29 #", "Timeout: 900 #")
	}
	changes := append([]func(*local.Options){slow}, change...)
	s.Stack = fixture.StartBootstraps(t, changes...)
	return s
}

// functions are the names of all functions in template.yaml.
func functions() []string {
	var names []string
	for _, r := range fixture.Requests {
		names = append(names, r.Function+"Function")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// privateDownloads lets mails have files of a server on this machine.
func privateDownloads(o *local.Options) {
	o.Environment = map[string]string{"ALLOW_PRIVATE_DOWNLOADS": "true"}
}

// mailer sends mails of a key.
type mailer struct {
	stack
	key string
}

// newMailer makes a mail key with a rule that redirects its mails; the zero Rule is none.
func newMailer(t testing.TB, s stack, rule redirect.Rule) mailer {
	t.Helper()
	sender := mail.Address{Address: "sender@example.com"}
	_, key := s.NewMailKey(t, mailkey.Key{Name: "test", Sender: sender, Redirect: rule})
	return mailer{s, key}
}

// mail is a small good mail with some fields changed; a nil field is left out.
func (m mailer) mail(change object) object {
	good := object{"key": m.key, "recipients": readers(1), "subject": "Hi", "text": "Hello"}
	return fixture.With(good, change)
}

// readers are n recipients of a mail.
func readers(n int) (list array) {
	for i := range n {
		list = append(list, object{"email": fmt.Sprintf("reader-%d@example.org", i)})
	}
	return list
}

// attachment is a list of one attachment.
func attachment(url string) array { return array{object{"url": url}} }

// post sends a mail.
func (m mailer) post(t testing.TB, mail object) fixture.Answer {
	t.Helper()
	return m.Call(t, fixture.To("sendMail"), nil, mail)
}

// invoke sends a mail as API Gateway does, which would not wait for over 30 seconds.
func (m mailer) invoke(t testing.TB, mail object) fixture.Answer {
	t.Helper()
	body, err := fixture.BodyText(mail)
	if err != nil {
		t.Fatal(err)
	}
	to := fixture.To("sendMail")
	event, err := json.Marshal(events.APIGatewayV2HTTPRequest{
		RouteKey: to.Method + " " + to.Path, RawPath: to.Path, Body: body,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: to.Method, Path: to.Path},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	invocation := lambda.Event{RequestID: rand.Text(), Payload: event}
	result, _, err := m.Lambda().Invoke(t.Context(), sendMail, invocation)
	if err != nil {
		t.Fatal(err)
	}
	var r events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatal(err)
	}
	return fixture.AnswerOf(to.Path, r.StatusCode, nil, r.Body)
}

const sendMail = "SendMailFunction"

// serveRepeated starts a server of files. It does not say how long they are.
func serveRepeated(t testing.TB) (file func(n int, contentType, unit string) (url string)) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("n"))
		w.Header().Set("Content-Type", r.FormValue("type"))
		block := strings.Repeat(r.FormValue("unit"), 10_000)
		for ; n > 0; n -= len(block) {
			if _, err := fmt.Fprint(w, block); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return func(n int, contentType, unit string) string {
		return server.URL + "/file?" + url.Values{"n": {fmt.Sprint(n)}, "type": {contentType}, "unit": {unit}}.Encode()
	}
}
