// Package execution says what a function finds around it: its variables, its network and its log. A function takes them
// from an [Environment] and from nowhere else, so several functions can run in one process of a test.
package execution

import (
	"context"
	"io"
	"net"
	"os"
)

// Environment is the execution environment of one function.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
type Environment struct {
	Getenv func(name string) string
	// Dial connects to a server, as the method DialContext of net.Dialer does. Nil is the machine's network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	Log  io.Writer // gets whole lines
}

// Lambda is the execution environment that Lambda makes: a machine for one function alone.
var Lambda = Environment{Getenv: os.Getenv, Log: os.Stdout}
