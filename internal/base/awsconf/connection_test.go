package awsconf

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// TestCallsShareAConnection also covers an answer that arrives before net/http has looked whether anything of the
// request's body is left. A second connection would cost another handshake, and another of TLS.
func TestCallsShareAConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x",
		"AWS_ENDPOINT_URL_DYNAMODB": server.URL,
	} {
		t.Setenv(name, value)
	}
	cfg := New(Service{Name: "DYNAMODB"})
	var opened atomic.Int64
	cfg.HTTPClient.(client).Transport.(*http.Transport).DialContext = func(
		ctx context.Context, network, address string,
	) (net.Conn, error) {
		opened.Add(1)
		connection, err := new(net.Dialer).DialContext(ctx, network, address)
		return slow{connection}, err
	}
	table := dynamodb.NewFromConfig(cfg)
	for range 5 {
		if _, err := table.ListTables(t.Context(), &dynamodb.ListTablesInput{Limit: aws.Int32(1)}); err != nil {
			t.Fatal(err)
		}
	}
	expect.Equal(t, opened.Load(), 1, "connections")
}

// slow is a connection on which the answer arrives before a write returns.
type slow struct{ net.Conn }

func (s slow) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b)
	time.Sleep(10 * time.Millisecond)
	return n, err
}
