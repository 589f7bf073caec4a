package localtest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/lambda"
)

// Simulate runs f in a bubble of [testing/synctest], whose clock counts none of this machine's time: there no request
// is late because the machine is busy, and waiting costs nothing. A stack that f starts is in the bubble as a whole,
// with its functions, but for the database. The clock begins at the present. In a bubble there is no t.Run: see [Case].
func Simulate(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	began, calls := time.Now(), openOutside(t)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(began))
		calls.network = httpserver.NewMemory()
		bubbles.Store(t.Name(), &bubble{calls.network, calls})
		defer bubbles.Delete(t.Name())
		f(t)
	})
}

// bubble is what the stacks of a simulated test share.
type bubble struct {
	network httpserver.Network
	calls   outside
}

// bubbles holds the *bubble of each simulated test, by its name.
var bubbles sync.Map

// bubbleOf returns the bubble of a test, or nil. The name of a case begins with its test's, and what embeds a
// [testing.TB] has the name of that.
func bubbleOf(t testing.TB) *bubble {
	for name := t.Name(); ; {
		if b, ok := bubbles.Load(name); ok {
			return b.(*bubble)
		}
		end := strings.LastIndexByte(name, '/')
		if end < 0 {
			return nil
		}
		name = name[:end]
	}
}

// hold makes a stack stay in the bubble. Without Options.Programs it has no functions. They may download from
// everywhere, as the bubble's network has only private addresses.
func (b *bubble) hold(o *local.Options) {
	if o.Programs == nil {
		o.Programs = map[string]lambda.Program{}
	}
	o.Network, o.Transport, o.DynamoDB = b.network, b.calls, b.calls.url
	environment := map[string]string{"ALLOW_PRIVATE_DOWNLOADS": "true"}
	maps.Copy(environment, o.Environment)
	o.Environment = environment
}

// Serve starts a server that the stacks of the test reach, and closes it when the test ends.
func Serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	network := httpserver.Machine
	if b := bubbleOf(t); b != nil {
		network = b.network
	}
	listener, err := network.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: h}}
	server.Start()
	t.Cleanup(server.Close)
	return server
}
