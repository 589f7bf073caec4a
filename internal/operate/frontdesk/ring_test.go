package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/operate/doctor"
	"frontdesk/internal/prove/expect"

	"github.com/aws/smithy-go/encoding/cbor"
)

// ring is the finding of the alarm that was set off; ok is false if there is none.
func ring(findings []doctor.Finding) (f doctor.Finding, ok bool) {
	for _, f := range findings {
		if f.Subject == "ring" {
			return f, true
		}
	}
	return f, false
}

// TestDoctorRings: each case changes something of the topic or the alarms. The finding is what CloudWatch tells of the
// alarm's action, and an alarm that nobody would hear of is not set off.
func TestDoctorRings(t *testing.T) {
	well := newDeployment(t)
	refusal := "Failed to execute action " + alarmTopic + ". Received error: \"not authorized to perform: SNS:Publish\""
	none := func(change func(cbor.Map)) func(*account.State) {
		return func(s *account.State) {
			only := alarm("b")
			change(only)
			topicOf(s).alarms = []cbor.Map{only}
		}
	}
	for name, c := range map[string]struct {
		change func(*account.State)
		want   string // the state and words of the finding
		err    string // words of the error, where there is no finding
	}{
		"CloudWatch tells the topic": {
			want: "right CloudWatch has told the topic of b: it reaches email ops@example.com"},
		"a policy that refuses it": {change: func(s *account.State) { topicOf(s).tells = refusal },
			want: "missing nobody hears of b: " + refusal},
		"several who hear": {
			change: func(s *account.State) {
				topicOf(s).subscriptions = []subscription{
					{alarmTopic + ":1", "email", "ops@example.com"},
					{"PendingConfirmation", "email", "nobody@example.com"},
					{alarmTopic + ":2", "https", "https://pager.example/integration/secret"},
				}
			},
			want: "right it reaches email ops@example.com, https pager.example"},
		"nobody who hears": {change: func(s *account.State) { topicOf(s).subscriptions = nil },
			err: "nobody has subscribed to " + alarmTopic},
		"no topic":  {change: func(s *account.State) { has(s, "AlarmTopicArn", "") }, err: "have no topic"},
		"no alarms": {change: func(s *account.State) { s.Alarms = nil }, err: "has no alarms"},
		"an alarm that is set off": {change: none(func(a cbor.Map) { a["StateValue"] = cbor.String("ALARM") }),
			err: "can be set off"},
		"an alarm whose actions are off": {change: none(func(a cbor.Map) { a["ActionsEnabled"] = cbor.Bool(false) }),
			err: "can be set off"},
		"an alarm that would stay set off": {
			change: none(func(a cbor.Map) { a["TreatMissingData"] = cbor.String("ignore") }), err: "can be set off"},
		"an alarm that tells another": {
			change: none(func(a cbor.Map) { a["AlarmActions"] = cbor.List{cbor.String("arn:aws:sns:x")} }),
			err:    "can be set off"},
		"DescribeAlarms is denied": {change: deny("cloudwatch:DescribeAlarms"), err: "AccessDenied: not authorized"},
		"ListSubscriptionsByTopic is denied": {change: deny("sns:ListSubscriptionsByTopic"),
			err: "AuthorizationError: not authorized"},
		"SetAlarmState is denied": {change: deny("cloudwatch:SetAlarmState"),
			want: "missing it could not be read: AccessDenied"},
		"DescribeAlarmHistory is denied": {change: deny("cloudwatch:DescribeAlarmHistory"),
			want: "missing it could not be read: AccessDenied"},
	} {
		t.Run(name, func(t *testing.T) {
			d := &deployment{well.of(t), well.records}
			d.change(func(s *account.State) {
				if c.change != nil {
					c.change(s)
				}
			})
			out, err := d.frontdesk("doctor", "--ring", "--yes", "--json")
			var called []string
			d.Account().Change(func(s *account.State) { called = topicOf(s).rung.alarms })
			if c.err != "" {
				expect.Contains(t, fmt.Sprint(err), c.err)
				expect.Equal(t, out, "")
				expect.Equal(t, called, nil, "alarms that were set off")
				return
			}
			var findings []doctor.Finding
			if err := json.Unmarshal([]byte(out), &findings); err != nil {
				t.Fatalf("printed %q: %v", out, err)
			}
			found, ok := ring(findings)
			expect.Equal(t, ok, true, "there is a finding")
			state, words, _ := strings.Cut(c.want, " ")
			expect.Equal(t, string(found.State), state)
			expect.Contains(t, found.Says, words)
			expect.Equal(t, err != nil, state == "missing", "the command fails")
		})
	}
}

// TestDoctorOfAnOutage: what AWS does not answer is unknown, and says nothing of permissions. The command fails all the
// same: nobody knows whether the deployment is complete.
func TestDoctorOfAnOutage(t *testing.T) {
	well := newDeployment(t)
	for name, c := range map[string]struct {
		of     string // part of what the failing calls have in their path or header; "" for every call
		answer http.HandlerFunc
		want   []string
	}{
		"a network that is down": {answer: func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
			want: []string{"unknown stack: it could not be read: ", "unknown SES: it could not be read: "}},
		"an error of AWS": {of: "DynamoDB_20120810.DescribeTimeToLive",
			answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
			want:   []string{"unknown table's time to live: it could not be read: "}},
		"a call that is throttled": {of: "/v2/email/account",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Amzn-Errortype", "TooManyRequestsException")
				w.WriteHeader(http.StatusTooManyRequests)
			},
			want: []string{"unknown SES: it could not be read: TooManyRequestsException"}},
		"credentials that have expired": {of: "DynamoDB_20120810.DescribeContinuousBackups",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"__type": "com.amazon.coral.service#ExpiredTokenException", "message": "expired"}`)
			},
			want: []string{"unknown table's recovery: it could not be read: ExpiredTokenException: expired"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &deployment{well.of(t), well.records}
			aws, err := url.Parse(d.Environ()["AWS_ENDPOINT_URL_DYNAMODB"])
			if err != nil {
				t.Fatal(err)
			}
			proxy := httputil.NewSingleHostReverseProxy(aws)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path+" "+r.Header.Get("X-Amz-Target"), c.of) {
					c.answer(w, r)
					return
				}
				r.Host = aws.Host
				proxy.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			variables := maps.Clone(d.Environ())
			variables["AWS_ENDPOINT_URL_DYNAMODB"] = server.URL
			d.file = variablesFile(t, variables)
			amiss, err := examine(d)
			expect.Len(t, amiss, len(c.want), "findings")
			for i, f := range amiss {
				expect.HasPrefix(t, fmt.Sprintf("%s %s: %s", f.State, f.Subject, f.Says), c.want[i])
				expect.Lacks(t, f.Mend, "credentials that may")
			}
			expect.Contains(t, fmt.Sprint(err), fmt.Sprintf("AWS did not answer for %d of the ", len(c.want)))
		})
	}
}
