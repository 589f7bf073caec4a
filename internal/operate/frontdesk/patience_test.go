package main

import (
	"context"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/doctor"
	"frontdesk/internal/operate/frontdesk/target"
	"frontdesk/internal/prove/expect"
)

// TestAWSThatNeverAnswers accepts every call, and holds it. One of the table ends after 10 seconds. The SDK makes every
// other three times; then the doctor says that it is unknown, and goes on. The time is the test's own, so nobody waits.
func TestAWSThatNeverAnswers(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_PROFILE": "",
		"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "CONSOLE_URL": "",
		"AWS_ENDPOINT_URL": "http://aws.example",
	} {
		t.Setenv(name, value)
	}
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		stack, err := target.Flags{Stack: "desk"}.Open(func(context.Context, string, string) (net.Conn, error) {
			calls++
			ours, theirs := net.Pipe()
			go hold(theirs)
			return ours, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := stack.Config(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = table.OpenKnown(t.Context(), cfg, "desk")
		expect.Equal(t, fmt.Sprint(target.ExplainAt("table desk", err)),
			"table desk: nothing answers: nothing came for 10s")
		expect.Equal(t, time.Since(began), 10*time.Second)
		began, calls = time.Now(), 0
		findings := doctor.New(cfg, "desk").Examine(t.Context())
		took := time.Since(began)
		expect.Len(t, findings, 2)
		for i, subject := range []string{"stack", "SES"} {
			expect.Equal(t, findings[i].Subject, subject)
			expect.Equal(t, findings[i].State, doctor.Unknown, subject)
			expect.Equal(t, findings[i].Says, "it could not be read: nothing came for 10s", subject)
		}
		expect.Equal(t, calls, 6)
		// Between two calls the SDK waits for up to two seconds.
		if took < time.Minute || took > 70*time.Second {
			t.Errorf("it took %v, want a minute", took)
		}
	})
}

// hold reads a connection, and answers nothing, until the other side closes it.
func hold(connection net.Conn) {
	for some := make([]byte, 1024); ; {
		if _, err := connection.Read(some); err != nil {
			return
		}
	}
}
