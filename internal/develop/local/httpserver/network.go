package httpserver

import (
	"context"
	"net"
	"net/http"
)

// Network is where servers listen and clients find them.
type Network interface {
	// Listen listens on an address of TCP.
	Listen(address string) (net.Listener, error)
	// Dial connects to a server, as the method DialContext of net.Dialer does.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// AwaitLatency waits as long as a request is on its way.
	AwaitLatency()
}

// Machine is the network of this machine.
var Machine Network = machine{}

type machine struct{}

func (machine) Listen(address string) (net.Listener, error) { return net.Listen("tcp", address) }

func (machine) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

func (machine) AwaitLatency() {}

// Transport returns an [http.DefaultTransport] for a network.
func Transport(n Network) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = n.Dial
	return transport
}
