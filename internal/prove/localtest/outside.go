package localtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"

	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/develop/local/httpserver"
)

// outside takes calls of the database out of a bubble: the database is a process. Meanwhile the clock of the bubble
// stands still.
type outside struct {
	network httpserver.Network // of the bubble
	url     string
	run     func(func()) // outside of the bubble
}

// toDatabase has its connections outside of all bubbles.
var toDatabase = dynamodb.Transport()

// openOutside opens the database, until the test ends. It is called outside of the test's bubble.
func openOutside(t testing.TB) outside {
	t.Helper()
	url, err := database.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := database.close(); err != nil {
			t.Error(err)
		}
	})
	return outside{url: url, run: outsideBubbles(t)}
}

// RoundTrip implements [http.RoundTripper]. A call whose context ends on the way is not made.
func (o outside) RoundTrip(r *http.Request) (response *http.Response, err error) {
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	o.network.AwaitLatency()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	call := r.Clone(context.Background()) // the request's own context belongs to the bubble
	call.Body = io.NopCloser(bytes.NewReader(body))
	var answer []byte
	o.run(func() {
		response, err = toDatabase.RoundTrip(call)
		if err != nil {
			return
		}
		answer, err = io.ReadAll(response.Body)
		err = errors.Join(err, response.Body.Close())
	})
	if err != nil {
		return nil, err
	}
	response.Body, response.Request = io.NopCloser(bytes.NewReader(answer)), r
	return response, nil
}

// database is one for all bubbles of this process: a table is made faster than a database. It runs while there is a
// bubble.
var database sharedDatabase

type sharedDatabase struct {
	mu     sync.Mutex
	users  int
	server *dynamodb.Server
}

// open returns the URL of the database, which [sharedDatabase.close] closes after its last user.
func (d *sharedDatabase) open(ctx context.Context) (url string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users == 0 {
		root, err := findRoot()
		if err != nil {
			return "", err
		}
		d.server, err = dynamodb.Open(ctx, dynamodb.Config{
			Endpoint: os.Getenv("DYNAMODB_ENDPOINT"), Root: root, Transport: toDatabase,
		})
		if err != nil {
			return "", err
		}
	}
	d.users++
	return d.server.URL, nil
}

func (d *sharedDatabase) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users--
	if d.users > 0 {
		return nil
	}
	toDatabase.CloseIdleConnections()
	return d.server.Close()
}
