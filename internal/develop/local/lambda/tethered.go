package lambda

import (
	"context"
	"net"
)

// dial connects an instance to a server.
func (in *inProcess) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if in.isGone() {
		return nil, in.hang()
	}
	conn, err := in.config.Network.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &tethered{conn, in}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.isGone() {
		conn.Close()
		return c, nil
	}
	in.conns[c] = true
	return c, nil
}

// hang is what a killed instance gets from a call: nothing, until the service is closed.
func (in *inProcess) hang() error {
	<-in.config.closed.Done()
	return net.ErrClosed
}

// tethered is a connection of an instance, which breaks when the instance is killed.
type tethered struct {
	net.Conn
	instance *inProcess
}

func (c *tethered) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.instance.isGone() {
		return 0, c.instance.hang()
	}
	return n, err
}

func (c *tethered) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if c.instance.isGone() {
		return 0, c.instance.hang()
	}
	return n, err
}

func (c *tethered) Close() error {
	c.instance.mu.Lock()
	delete(c.instance.conns, c)
	c.instance.mu.Unlock()
	return c.Conn.Close()
}
