package delivery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"frontdesk/internal/base/execution"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// recorder is an HTTP client that records the requests that it gets instead of sending them.
type recorder struct {
	throttled int // number of calls that it throttles, the first ones
	reads     int // bytes that it reads of a throttled call

	calls []*http.Request
	sent  [][]byte // their bodies
}

// Do answers with a message id, or with the throttling error of SES.
func (rec *recorder) Do(r *http.Request) (*http.Response, error) {
	answer := &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"MessageId": "1"}`)),
	}
	body := io.Reader(r.Body)
	if len(rec.calls) < rec.throttled {
		answer.StatusCode = http.StatusTooManyRequests
		answer.Header.Set("X-Amzn-ErrorType", "TooManyRequestsException")
		body = io.LimitReader(r.Body, int64(rec.reads))
	}
	sent, err := io.ReadAll(body)
	rec.calls, rec.sent = append(rec.calls, r), append(rec.sent, sent)
	return answer, errors.Join(err, r.Body.Close())
}

var credentials = aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}

// client returns a client of SES that sends to the recorder.
func (rec *recorder) client(options ...func(*sesv2.Options)) *sesv2.Client {
	return sesv2.New(sesv2.Options{
		Region: "eu-west-1", HTTPClient: rec, Retryer: pacing(),
		Credentials: aws.CredentialsProviderFunc(
			func(context.Context) (aws.Credentials, error) { return credentials, nil },
		),
	}, options...)
}

// toOne is an envelope for one recipient.
var toOne = Envelope{From: "a@b.c", To: []string{"d@e.f"}}

// soon returns a time by which every call of a test has ended.
func soon() time.Time { return time.Now().Add(time.Minute) }

// randomBytes returns the same n bytes in every run: the seed is fixed.
func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

// inTwo returns a message that is split in the middle, at a multiple of 3. Fewer than 6 bytes are all tail.
func inTwo(message []byte) Message {
	head := len(message) / 2 / 3 * 3
	return Message{Head: bytes.NewReader(message[:head]), Tail: NewTail(bytes.NewReader(message[head:]))}
}

// TestRawMessageIsSentAsTheSDKWouldSendIt compares a streamed request with the one that the SDK writes, byte by byte.
// Other fields have text that looks like the place of the message. The sizes are at the borders of base64 groups and
// of blocks.
func TestRawMessageIsSentAsTheSDKWouldSendIt(t *testing.T) {
	place := `{"Content":{"Raw":{"Data":""}}}`
	for name, input := range map[string]sesv2.SendEmailInput{
		"nothing else": {},
		"every other field, in which the place of the message is named": {
			ConfigurationSetName: &place,
			Destination: &types.Destination{
				ToAddresses: []string{place, "ü@example.org"},
				CcAddresses: []string{"<&>"}, BccAddresses: []string{"\u2028\\"},
			},
			EmailTags: []types.MessageTag{
				{Name: aws.String("Raw"), Value: &place}, {Name: aws.String("Data"), Value: aws.String("")},
			},
			FeedbackForwardingEmailAddress: &place,
			FromEmailAddress:               &place,
			ListManagementOptions:          &types.ListManagementOptions{ContactListName: &place},
			ReplyToAddresses:               []string{place},
			TenantName:                     &place,
		},
	} {
		for _, size := range []int{0, 1, 2, 3, 4, 5, 1023, 1024, 1025, 4096, 98_304, 100_000} {
			t.Run(fmt.Sprintf("%s, %d bytes", name, size), func(t *testing.T) {
				content := randomBytes(size)
				sdk, streamed := &recorder{}, &recorder{}
				for w, data := range map[*recorder][]byte{sdk: content, streamed: {}} {
					client := w.client()
					if w == streamed {
						client = w.client(sesv2.WithAPIOptions(streamRaw(inTwo(content))))
					}
					input.Content = &types.EmailContent{Raw: &types.RawMessage{Data: data}}
					if _, err := client.SendEmail(t.Context(), &input); err != nil || len(w.sent) != 1 {
						t.Fatalf("%d calls, %v", len(w.sent), err)
					}
				}
				if !bytes.Equal(streamed.sent[0], sdk.sent[0]) {
					t.Errorf("body\n%.300s\nwant\n%.300s", streamed.sent[0], sdk.sent[0])
				}
				got, want := streamed.calls[0], sdk.calls[0]
				expect.Equal(t, got.Method, want.Method)
				expect.Equal(t, got.URL.String(), want.URL.String())
				expect.Equal(t, got.ContentLength, want.ContentLength)
				if got, want := got.Header.Get("Content-Type"), want.Header.Get("Content-Type"); got != want {
					t.Errorf("content type %q, want %q", got, want)
				}
				if got, want := got.Header.Get("Authorization"), signature(t, got, sdk.sent[0]); got != want {
					t.Errorf("signed\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// signature returns the Authorization header of a request with the given body, by the SDK's own signer (Signature
// Version 4).
func signature(t *testing.T, r *http.Request, body []byte) string {
	t.Helper()
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	r = r.Clone(t.Context())
	r.Header.Del("Authorization")
	hash := sha256.Sum256(body)
	digest := hex.EncodeToString(hash[:])
	if err := v4.NewSigner().SignHTTP(t.Context(), credentials, r, digest, "ses", "eu-west-1", at); err != nil {
		t.Fatal(err)
	}
	return r.Header.Get("Authorization")
}

// TestThrottledMessageIsSentWhole: after a throttled call the whole message is sent again, however much of it SES
// had read.
func TestThrottledMessageIsSentWhole(t *testing.T) {
	t.Parallel()
	message := inTwo(randomBytes(100_000))
	whole := &recorder{}
	if _, fault := (&SES{client: whole.client()}).send(t.Context(), soon(), toOne, message); fault != nil {
		t.Fatal(fault)
	}
	for _, reads := range []int{0, 1, 50, 70_001, len(whole.sent[0])} {
		t.Run(fmt.Sprintf("%d bytes were read", reads), func(t *testing.T) {
			t.Parallel()
			w := &recorder{throttled: 2, reads: reads}
			ses := &SES{client: w.client()}
			if _, fault := ses.send(t.Context(), soon(), toOne, message); fault != nil {
				t.Fatal(fault)
			}
			expect.Len(t, w.sent, 3)
			expect.Equal(t, w.sent[2], whole.sent[0])
		})
	}
}

// TestMessageIsReadAnywhere reads documents with messages of 0 to 8 bytes, with and without a tail, from every offset
// at every length.
func TestMessageIsReadAnywhere(t *testing.T) {
	for size := range 18 {
		message := randomBytes(size / 2)
		s := &spliced{before: []byte("before "), message: inTwo(message), after: []byte(" after")}
		if size%2 == 0 {
			s.message = Message{Head: bytes.NewReader(message)}
		}
		want := "before " + base64.StdEncoding.EncodeToString(message) + " after"
		if err := iotest.TestReader(io.NewSectionReader(s, 0, s.size()), []byte(want)); err != nil {
			t.Errorf("of %d bytes: %v", size, err)
		}
		for length := range len(want) {
			for at := range len(want) - length {
				got := make([]byte, length)
				n, err := s.ReadAt(got, int64(at))
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, n, length)
				expect.Equal(t, string(got), want[at:at+length])
			}
		}
	}
}

// TestMessageIsSentToManyAtOnce sends one message of 10 MB to several groups in parallel. The calls together may
// allocate less than a copy of it would take.
func TestMessageIsSentToManyAtOnce(t *testing.T) {
	content := randomBytes(10 << 20)
	message := Message{Head: bytes.NewReader(content)}
	once := &recorder{}
	if _, fault := (&SES{client: once.client()}).send(t.Context(), soon(), toOne, message); fault != nil {
		t.Fatalf("%+v", fault)
	}
	want := sha256.Sum256(once.sent[0])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.New()
		_, err := io.Copy(got, r.Body)
		expect.Equal(t, err, nil)
		expect.Equal(t, got.Sum(nil), want[:])
		_, _ = io.WriteString(w, `{"MessageId": "1"}`)
	}))
	defer server.Close()
	t.Setenv("AWS_ENDPOINT_URL_SESV2", server.URL)
	t.Setenv("AWS_REGION", "eu-west-1")
	t.Setenv("AWS_ACCESS_KEY_ID", credentials.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", credentials.SecretAccessKey)
	ses := NewSES(execution.Lambda, "")

	before := allocated()
	var groups sync.WaitGroup
	for range groupsAtOnce {
		groups.Go(func() {
			if _, fault := ses.send(t.Context(), soon(), toOne, message); fault != nil {
				t.Errorf("%+v", fault)
			}
		})
	}
	groups.Wait()
	const most = 2 << 20
	if n := allocated() - before; n > most {
		t.Errorf("%d bytes were allocated to send %d bytes %d times, want at most %d",
			n, len(content), groupsAtOnce, most)
	}
}

// allocated returns the number of bytes that the process has allocated since its start, including those freed since.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
