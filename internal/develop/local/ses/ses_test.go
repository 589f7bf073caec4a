package ses

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"
)

// startSES returns the SDK's client for an outbox.
func startSES(t *testing.T, outbox *Outbox) *sesv2.Client {
	t.Helper()
	return start(t, Endpoint{Outbox: outbox, Suppressed: &SuppressionList{}})
}

// start serves an endpoint, and returns the SDK's client for it.
func start(t *testing.T, endpoint Endpoint) *sesv2.Client {
	t.Helper()
	server := httptest.NewServer(endpoint)
	t.Cleanup(server.Close)
	// One attempt only: a retry could hide that the first one failed.
	return sesv2.New(sesv2.Options{
		Region:           "us-east-1",
		BaseEndpoint:     &server.URL,
		Credentials:      credentials.NewStaticCredentialsProvider("a", "b", ""),
		RetryMaxAttempts: 1,
	})
}

// newOutbox opens an outbox that reports its changes to nobody.
func newOutbox(t *testing.T, folder string) *Outbox {
	t.Helper()
	outbox, err := OpenOutbox(folder, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return outbox
}

// sendEmailInput returns a request with raw content, a sender and a configuration set.
func sendEmailInput(raw []byte, to, cc, bcc []string) *sesv2.SendEmailInput {
	return &sesv2.SendEmailInput{
		FromEmailAddress:     aws.String("sender@example.com"),
		ConfigurationSetName: aws.String("set"),
		Destination:          &types.Destination{ToAddresses: to, CcAddresses: cc, BccAddresses: bcc},
		Content:              &types.EmailContent{Raw: &types.RawMessage{Data: raw}},
	}
}

// TestSESKeepsAMessageAsSent shows that a message is kept byte by byte, also where it is not UTF-8, and that Bcc is in
// the envelope.
func TestSESKeepsAMessageAsSent(t *testing.T) {
	outbox := newOutbox(t, "")
	client := startSES(t, outbox)
	// 0xFF is never part of UTF-8, and 0x00 ends a string in C: the two show whether something converts the message.
	raw := []byte("From: sender@example.com\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\n\r\nbody \xff\x00\r\n")
	out, err := client.SendEmail(t.Context(), sendEmailInput(raw,
		[]string{"to@example.com"}, []string{"cc@example.com"}, []string{"bcc@example.com"}))
	if err != nil {
		t.Fatal(err)
	}
	mails := outbox.Mails()
	if len(mails) != 1 {
		t.Fatalf("the outbox has %d mails, want 1", len(mails))
	}
	m := mails[0]
	expect.Equal(t, m.ID, aws.ToString(out.MessageId))
	expect.Equal(t, m.From, "sender@example.com")
	expect.Equal(t, m.Subject, "Café")
	expect.Equal(t, m.Size, len(raw))
	if want := []string{"to@example.com", "cc@example.com", "bcc@example.com"}; !slices.Equal(m.To, want) {
		t.Errorf("the envelope is %q, want %q", m.To, want)
	}
	if kept, ok := outbox.Raw(m.ID); !ok || !bytes.Equal(kept, raw) {
		t.Errorf("the message is %q, want %q", kept, raw)
	}
}

// TestSESReadsTheBase64OfAMessage shows that the fast path and encoding/json read the same, however the JSON is
// written. The tags contain text that looks like the start of the message.
func TestSESReadsTheBase64OfAMessage(t *testing.T) { // an empty want means that it is refused
	for name, c := range map[string]struct{ raw, want string }{ // want is empty: it is refused
		"as it is":                  {`{"Data":"YT8/Yg=="}`, "a??b"},
		"with an escape":            {`{"Data":"YT8\/Yg=="}`, "a??b"},
		"with a space after a name": {`{"Data": "YT8/Yg=="}`, "a??b"},
		"that is none":              {`{"Data":"YT8/Y"}`, ""},
		"that does not end":         {`{"Data":"YT8/`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			outbox := newOutbox(t, "")
			body := `{"FromEmailAddress":"a@example.com","EmailTags":[{"Name":"\"Data\":\"x","Value":"\"Data\":\""}],` +
				`"Content":{"Raw":` + c.raw + `},"Destination":{"ToAddresses":["b@example.com"]}}`
			answer := httptest.NewRecorder()
			Endpoint{Outbox: outbox, Suppressed: &SuppressionList{}}.ServeHTTP(answer,
				httptest.NewRequest(http.MethodPost, "/v2/email/outbound-emails", strings.NewReader(body)))
			if mails := outbox.Mails(); c.want == "" && (answer.Code != http.StatusBadRequest || len(mails) != 0) {
				t.Errorf("answer %d, %d mails", answer.Code, len(mails))
			} else if c.want != "" {
				raw, _ := outbox.Raw(mails[0].ID)
				if string(raw) != c.want {
					t.Errorf("kept %q", raw)
				}
			}
		})
	}
}

// TestSESRefusesWhatSESRefuses shows SES's limits, and its messages beyond them.
// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
func TestSESRefusesWhatSESRefuses(t *testing.T) {
	addresses := func(n int) []string { return slices.Repeat([]string{"a@example.com"}, n) }
	simple := sendEmailInput(nil, addresses(1), nil, nil)
	simple.Content = &types.EmailContent{Simple: &types.Message{
		Subject: &types.Content{Data: aws.String("s")}, Body: &types.Body{Text: &types.Content{Data: aws.String("b")}},
	}}
	tests := []struct {
		name    string
		in      *sesv2.SendEmailInput
		message string // empty: the mail is accepted
	}{
		{"50 recipients are taken", sendEmailInput([]byte("x"), addresses(20), addresses(20), addresses(10)), ""},
		{"51 recipients",
			sendEmailInput([]byte("x"), addresses(20), addresses(20), addresses(11)), "Recipient count exceeds 50."},
		{"no recipient", sendEmailInput([]byte("x"), nil, nil, nil), "Missing required destination."},
		{"an empty message", sendEmailInput([]byte{}, addresses(1), nil, nil), "Raw message data is empty."},
		// One byte more than 40 MiB, after decoding.
		{"a message of more than 40 MB", sendEmailInput(make([]byte, 40<<20+1), addresses(1), nil, nil),
			"Message length is more than 41943040 bytes long: '41943041'."},
		{"content that is not raw", simple, "The local SES takes raw content only."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outbox := newOutbox(t, "")
			_, err := startSES(t, outbox).SendEmail(t.Context(), test.in)
			if test.message == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var refused *types.BadRequestException
			if !errors.As(err, &refused) || refused.ErrorMessage() != test.message {
				t.Errorf("the error is %v, want a BadRequestException: %s", err, test.message)
			}
			if kept := len(outbox.Mails()); kept != 0 {
				t.Errorf("the outbox has %d mails, want none", kept)
			}
		})
	}
}

// TestSESKnowsSendEmailOnly shows the errors for another operation, and for a malformed request.
func TestSESKnowsSendEmailOnly(t *testing.T) {
	_, err := startSES(t, newOutbox(t, "")).GetAccount(t.Context(), &sesv2.GetAccountInput{})
	var refused smithy.APIError
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	expect.Equal(t, refused.ErrorCode(), "UnknownOperationException")
	server := httptest.NewServer(Endpoint{Outbox: newOutbox(t, ""), Suppressed: &SuppressionList{}})
	defer server.Close()
	// The SDK cannot send half a request, so this one is sent by hand.
	half := strings.NewReader(`{"Content":`)
	response, err := http.Post(server.URL+"/v2/email/outbound-emails", "application/json", half)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	expect.Equal(t, response.StatusCode, http.StatusBadRequest, "half a request")
	expect.Equal(t, response.Header.Get("X-Amzn-ErrorType"), "BadRequestException", "half a request: X-Amzn-ErrorType")
}

// TestSESHoldsALargeMessageOnce shows that a message of 40 MB is not copied more often than necessary. The request and
// the message take 54 and 40 MB, so each needless copy is felt on a small machine.
func TestSESHoldsALargeMessageOnce(t *testing.T) {
	outbox := newOutbox(t, t.TempDir())
	raw := strings.NewReader(`{"FromEmailAddress":"a@example.com","Destination":{"ToAddresses":["b@example.com"]},` +
		`"Content":{"Raw":{"Data":"` +
		strings.Repeat("QUJD", maxMessage/3) + `"}}}`)
	request := httptest.NewRequest("POST", "/v2/email/outbound-emails", raw)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := httptest.NewRecorder()
	Endpoint{Outbox: outbox, Suppressed: &SuppressionList{}}.ServeHTTP(w, request)
	runtime.ReadMemStats(&after)
	if w.Code != http.StatusOK {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	// The limit is the request plus the message. The race detector counts the request's buffer twice.
	if allocated, most := after.TotalAlloc-before.TotalAlloc, uint64(2*raw.Size())+maxMessage+10<<20; allocated > most {
		t.Errorf("%d MB were allocated, want at most %d", allocated>>20, most>>20)
	}
}

// An outbox without a folder keeps its mails in memory. A size counts the bytes of the whole message, with its header.
func ExampleOutbox() {
	outbox, err := OpenOutbox("", func() {})
	if err != nil {
		fmt.Println(err)
		return
	}
	raw := []byte("Subject: Hello\r\n\r\nHello!\r\n")
	if _, err := outbox.Add(Mail{From: "a@example.com", To: []string{"b@example.com"}}, raw); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range outbox.Mails() {
		fmt.Println(m.From, m.To, m.Subject, m.Size)
	}
	// Output: a@example.com [b@example.com] Hello 26
}
