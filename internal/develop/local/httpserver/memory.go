package httpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Memory is a network in the memory of this process. All of its addresses are ports of 127.0.0.1, and it knows no name
// but localhost. Who waits for one of its connections in a bubble of [testing/synctest] is durably blocked. It differs
// from TCP: it buffers nothing, so a write waits until the other side reads. Every request takes a [Latency].
type Memory struct {
	mu        sync.Mutex
	lastPort  int
	listeners map[int]*memoryListener // by port
}

// Latency is the time that a request takes. In a bubble nothing else takes time: without it, no two things would happen
// one after the other, and what tries again until a deadline would do so for ever.
const Latency = time.Millisecond

// AwaitLatency implements [Network].
func (m *Memory) AwaitLatency() { time.Sleep(Latency) }

// NewMemory returns a network in which nobody listens.
func NewMemory() *Memory { return &Memory{lastPort: 20000, listeners: map[int]*memoryListener{}} }

// Listen implements [Network]. Port zero means a free one.
func (m *Memory) Listen(address string) (net.Listener, error) {
	port, err := portOf(address)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Err: err}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if port == 0 {
		port = m.nextPort()
	}
	l := &memoryListener{network: m, addr: loopback(port), conns: make(chan net.Conn), closed: make(chan struct{})}
	if m.listeners[port] != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: l.addr, Err: syscall.EADDRINUSE}
	}
	m.listeners[port] = l
	return l, nil
}

// Dial implements [Network].
func (m *Memory) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	port, err := portOf(address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	to := loopback(port)
	m.mu.Lock()
	l, from := m.listeners[port], loopback(m.nextPort())
	m.mu.Unlock()
	if l == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: syscall.ECONNREFUSED}
	}
	client, server := net.Pipe()
	select {
	case l.conns <- &memoryConn{server, to, from}:
		return &memoryConn{client, from, to}, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: ctx.Err()}
	}
}

// nextPort returns a port that nobody has had. The caller holds the lock.
func (m *Memory) nextPort() int {
	m.lastPort++
	return m.lastPort
}

// portOf returns the port of an address of this network.
func portOf(address string) (int, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0, err
	}
	if host != "" && host != "localhost" && net.ParseIP(host) == nil {
		return 0, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return strconv.Atoi(port)
}

func loopback(port int) *net.TCPAddr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }

// memoryListener hands the servers' ends of connections to Accept.
type memoryListener struct {
	network *Memory
	addr    *net.TCPAddr
	conns   chan net.Conn
	closing sync.Once
	closed  chan struct{}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.closing.Do(func() {
		close(l.closed)
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		delete(l.network.listeners, l.addr.Port)
	})
	return nil
}

func (l *memoryListener) Addr() net.Addr { return l.addr }

// memoryConn is a pipe with the addresses of TCP, and its error for a write after the other side has closed.
type memoryConn struct {
	net.Conn
	local, remote net.Addr
}

func (c *memoryConn) LocalAddr() net.Addr  { return c.local }
func (c *memoryConn) RemoteAddr() net.Addr { return c.remote }

func (c *memoryConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = &net.OpError{Op: "write", Net: "tcp", Source: c.local, Addr: c.remote, Err: syscall.EPIPE}
	}
	return n, err
}
