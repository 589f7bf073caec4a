package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestDoctorOfAnOutage: what AWS does not answer is unknown, and says nothing of permissions. The command fails all the
// same: nobody knows whether the deployment is complete.
func TestDoctorOfAnOutage(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		well := newDeployment(t)
		for name, c := range map[string]struct {
			of     string // part of what the failing calls have in their path or header; "" for every call
			answer http.HandlerFunc
			want   []string
		}{
			"a network that is down": {
				answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
				want:   []string{"unknown stack: it could not be read: ", "unknown SES: it could not be read: "},
			},
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
			localtest.Case(t, name, func(t testing.TB) {
				d := &deployment{well.of(t), well.records}
				aws, err := url.Parse(d.Environ()["AWS_ENDPOINT_URL_DYNAMODB"])
				if err != nil {
					t.Fatal(err)
				}
				proxy := httputil.NewSingleHostReverseProxy(aws)
				proxy.Transport = d.Client().Transport
				server := localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.Contains(r.URL.Path+" "+r.Header.Get("X-Amz-Target"), c.of) {
						c.answer(w, r)
						return
					}
					r.Host = aws.Host
					proxy.ServeHTTP(w, r)
				}))
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
	})
}
