package awsconf

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/base/execution"
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
		cfg := New(execution.Lambda, Service{Name: "DYNAMODB"})
		transport := cfg.HTTPClient.(client).Transport.(*http.Transport)
		opened := 0
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			opened++
			ours, theirs := net.Pipe()
			go answer(theirs)
			return slow{ours}, nil
		}
		table := dynamodb.NewFromConfig(cfg)
		for range 5 {
			if _, err := table.ListTables(t.Context(), &dynamodb.ListTablesInput{Limit: aws.Int32(1)}); err != nil {
				t.Fatal(err)
			}
		}
		transport.CloseIdleConnections()
		synctest.Wait()
		expect.Equal(t, opened, 1, "connections")
	})
}

// answer answers the requests of a connection, until the other side closes it.
func answer(connection net.Conn) {
	requests := bufio.NewReader(connection)
	for {
		r, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		io.Copy(io.Discard, r.Body)
		fmt.Fprint(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
	}
}

// slow is a connection on which the answer arrives before a write returns.
type slow struct{ net.Conn }

func (s slow) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b)
	time.Sleep(10 * time.Millisecond)
	return n, err
}
