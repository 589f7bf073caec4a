// Package httpserver serves HTTP on ports of this machine: the API, the functions' services, and each process's Runtime
// API. Without TLS, unlike those of AWS.
package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// Server is an HTTP server that listens.
type Server struct {
	http.Server
	listener net.Listener
	unasked  sync.Map // of net.Conn: those that nothing has been asked on
}

// Listen takes a port, the zero port being any that is free, so that its number is known before Start.
func Listen(addr string) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Server{listener: listener}, nil
}

// A server that is to be at the same port after a restart takes one that nobody else is given in between: systems give
// out those from 32768 up, IANA's from 49152 up.
const lowestKept, highestKept = 20000, 32767

// ListenAgain is Listen, but in place of the zero port it takes the one that the file names, if it is free. The file
// then names the one that it took, so that the server is where it was after a restart.
func ListenAgain(addr, file string) (*Server, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port != "0" {
		return Listen(addr)
	}
	if last, err := os.ReadFile(file); err == nil {
		if s, err := Listen(net.JoinHostPort(host, string(last))); err == nil {
			return s, nil
		}
	}
	s, err := listenKept(host)
	if err != nil {
		return nil, err
	}
	_, port, _ = net.SplitHostPort(s.Host())
	if err := os.WriteFile(file, []byte(port), 0o600); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// listenKept takes one of the ports that are kept, or any where it finds none of them free.
func listenKept(host string) (*Server, error) {
	for range 10 {
		port := lowestKept + rand.IntN(highestKept-lowestKept+1)
		if s, err := Listen(net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return s, nil
		}
	}
	return Listen(net.JoinHostPort(host, "0"))
}

// Host is the address of the server with its port. One that listens on every address is called by the loopback's.
func (s *Server) Host() string {
	addr := s.listener.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", addr.Port)
	}
	return addr.String()
}

// URL is the base URL of the server.
func (s *Server) URL() string { return "http://" + s.Host() }

// Start lets h answer requests.
func (s *Server) Start(h http.Handler, log *slog.Logger) {
	s.Handler = h
	s.ReadHeaderTimeout = time.Minute
	s.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	// Clients open connections that they may never need, browsers above all, and Shutdown would wait for them.
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if s.unasked.Delete(c); state == http.StateNew {
			s.unasked.Store(c, nil)
		}
	}
	s.RegisterOnShutdown(func() {
		for c := range s.unasked.Range {
			c.(net.Conn).Close()
		}
	})
	go s.Serve(s.listener)
}

// grace is how long Finish waits for the requests that are under way.
const grace = 3 * time.Second

// Finish takes no more requests, and gives those that are under way three seconds.
func (s *Server) Finish() error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if s.Shutdown(ctx) != nil {
		return s.Server.Close()
	}
	return nil
}

// Close ends the server, whether it was started or not.
func (s *Server) Close() error {
	defer s.listener.Close() // which Server.Close has done if the server was started
	return s.Server.Close()
}
