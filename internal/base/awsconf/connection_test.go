package awsconf

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// TestCallsShareAConnection also covers an answer that arrives before net/http has looked whether anything of the
// request's body is left. A second connection would cost another handshake, and another of TLS. Net/http waits for 50
// milliseconds until a request is written, so the time is simulated.
func TestCallsShareAConnection(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x",
		"AWS_ENDPOINT_URL_DYNAMODB": "http://localhost",
	} {
		t.Setenv(name, value)
	}
	synctest.Test(t, func(t *testing.T) {
		cfg := New(Service{Name: "DYNAMODB"})
		transport := cfg.HTTPClient.(client).Transport.(*http.Transport)
		opened := make(pipes, 5)
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			opened <- theirs
			return slow{ours}, nil
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "{}")
		})}
		accepted := 0
		server.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				accepted++
			}
		}
		go server.Serve(opened)
		table := dynamodb.NewFromConfig(cfg)
		for range 5 {
			if _, err := table.ListTables(t.Context(), &dynamodb.ListTablesInput{Limit: aws.Int32(1)}); err != nil {
				t.Fatal(err)
			}
		}
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		expect.Equal(t, accepted, 1, "connections")
	})
}

// pipes listens for connections within the process.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if connection, ok := <-p; ok {
		return connection, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error {
	close(p)
	return nil
}

func (pipes) Addr() net.Addr { return new(net.UnixAddr) }

// slow is a connection on which the answer arrives before a write returns.
type slow struct{ net.Conn }

func (s slow) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b)
	time.Sleep(10 * time.Millisecond)
	return n, err
}
