// Package dynamodb stands in for DynamoDB: a server with the tables of a template, and the permissions that each
// operation needs. The server is dynoxide, on SQLite, or one that is running already. Dynoxide differs from the
// service: it has no throttling and no conflicts between transactions, which package contention adds, it has no
// eventually consistent reads, and it keeps expired items. It answers pages of every origin, so it listens on a port to
// which no browser connects.
package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/develop/local/processes"
	"frontdesk/internal/develop/local/samtemplate"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Server is a DynamoDB with the tables of a template.
type Server struct {
	URL    string     // base URL
	Failed chan error // receives why the program has ended, if it cannot be restarted
	config Config
	binary string
	addr   string // host and port

	mu      sync.Mutex
	child   *processes.Process // nil if the server is not the stack's own
	closing bool
}

// Config selects the server.
type Config struct {
	Endpoint string // of a running server; empty starts one
	Root     string // the project's folder; its .local contains the program
	File     string // for the tables; empty keeps them in memory
	Region   string
	Tables   []samtemplate.Table
	// Transport is how calls reach the server; default [Transport].
	Transport http.RoundTripper
}

// AccessKeyID is the operator's, and that of every call that the AWS proxy passes on: DynamoDB Local keeps a separate
// database for each access key.
const AccessKeyID = "local"

const (
	startTimeout = 10 * time.Second // until the program listens
	stopGrace    = 5 * time.Second  // until it has ended by itself
	addrTries    = 5                // to find a free one
)

// Open creates missing tables, on a running server or on one that it starts, and waits until they are active.
func Open(ctx context.Context, c Config) (*Server, error) {
	if c.Transport == nil {
		c.Transport = Transport()
	}
	s := &Server{URL: c.Endpoint, Failed: make(chan error, 1), config: c}
	if s.URL == "" {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
	}
	if err := createTables(ctx, dynamodb.NewFromConfig(s.Operator()), c.Tables); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Operator returns the configuration for an operator's clients. They call the server directly, not through the AWS
// proxy.
func (s *Server) Operator() aws.Config {
	return aws.Config{
		Region:       s.config.Region,
		Credentials:  credentials.NewStaticCredentialsProvider(AccessKeyID, AccessKeyID, ""),
		BaseEndpoint: aws.String(s.URL),
		HTTPClient:   &http.Client{Transport: s.config.Transport},
	}
}

// Forward passes calls on to the server, with the operator's access key.
func (s *Server) Forward() http.Handler { return Forward(s.URL, s.config.Transport) }

// Close ends the server in an orderly way, if it is the stack's own.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	if s.child != nil {
		s.child.Stop(stopGrace)
	}
	return nil
}

// Supervise restarts the program with the same tables at the same URL whenever it ends. If the tables were in memory
// they are lost, and it does not.
func (s *Server) Supervise(log *slog.Logger) {
	if s.child != nil {
		go func() {
			for err := error(nil); err == nil; {
				err = s.revive(log)
			}
		}()
	}
}

// errClosed means that the end was asked for.
var errClosed = errors.New("the server is closed")

// revive waits until the program ends, and restarts it.
func (s *Server) revive(log *slog.Logger) error {
	<-s.child.Ended
	s.mu.Lock() // so that Close waits, and ends the new program
	defer s.mu.Unlock()
	if s.closing {
		return errClosed
	}
	// A restart with empty tables would look like lost data, so there is none.
	err := fmt.Errorf("the database has ended (%w), and its tables were in memory", s.child.Err)
	if s.config.File != "" {
		log.Error("the database has ended and is started again on its data", "err", s.child.Err)
		err = s.tryAddress(context.Background())
		if err == nil {
			return nil
		}
		err = fmt.Errorf("start the database again: %w", err)
	}
	log.Error("the database is gone: restart the stack", "err", err)
	s.Failed <- err
	return err
}

// start starts dynoxide at a free address, and waits until it listens.
func (s *Server) start(ctx context.Context) error {
	var err error
	s.binary, err = Install(ctx, s.config.Root)
	if err != nil {
		return err
	}
	if s.config.File != "" {
		if err := os.MkdirAll(filepath.Dir(s.config.File), 0o755); err != nil {
			return fmt.Errorf("make the database's folder: %w", err)
		}
	}
	// Between finding a free address and the program's start, another process may take it.
	for range addrTries {
		s.addr, err = freeAddress(s.config.File == "")
		if err != nil {
			break
		}
		err = s.tryAddress(ctx)
		if !errors.Is(err, errAddressTaken) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("start the database: %w", err)
	}
	return nil
}

// errAddressTaken means that an address which was free is not free any more.
var errAddressTaken = errors.New("the address was taken in between")

// oneThread makes the program serve all calls by one thread: its tables have one lock, which several threads would hand
// to and fro, for a fifth of their time.
const oneThread = "TOKIO_WORKER_THREADS=1"

// tryAddress starts the program, and waits until it listens.
func (s *Server) tryAddress(ctx context.Context) error {
	host, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return err
	}
	args := []string{"serve", "--host", host, "--port", port}
	if s.config.File != "" {
		args = append(args, "--db-path", s.config.File)
	}
	// Both streams go into one text: the program may complain on either.
	output := new(outputTail)
	cmd := exec.Command(s.binary, args...)
	cmd.Env = append(os.Environ(), oneThread)
	program, err := processes.Start(cmd, output, output)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := awaitListening(ctx, program, output); err != nil {
		program.Kill()
		if strings.Contains(output.String(), "already in use") {
			return errAddressTaken
		}
		return fmt.Errorf("%w\n%s", err, output)
	}
	s.URL, s.child = "http://"+s.addr, program
	return nil
}

// awaitListening waits until the program says that it listens. A connection to the port would prove nothing: another
// database may have been faster, and answer there.
func awaitListening(ctx context.Context, program *processes.Process, output *outputTail) error {
	for !strings.Contains(output.String(), "listening on") {
		select {
		case <-program.Ended:
			return fmt.Errorf("it has ended: %w", program.Err)
		case <-ctx.Done():
			return fmt.Errorf("it does not listen: %w", ctx.Err())
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil
}

// refusedPorts are ports to which browsers do not connect, and on which any user may listen.
// https://fetch.spec.whatwg.org/#port-blocking
var refusedPorts = []int{6665, 6666, 6667, 6668, 6669, 6679, 6697, 3659, 4045, 4190, 5060, 5061, 6566, 10080}

// freeAddress returns an address with one of the refusedPorts. Its host is a random one of the 16 million loopback
// addresses, or 127.0.0.1 on systems that have no other, such as macOS. If 127.0.0.1 has no such port left, anyPort
// allows another one.
func freeAddress(anyPort bool) (string, error) {
	random := fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
	var candidates []string
	for _, host := range []string{random, "127.0.0.1"} {
		for _, port := range refusedPorts {
			candidates = append(candidates, net.JoinHostPort(host, strconv.Itoa(port)))
		}
	}
	if anyPort {
		candidates = append(candidates, "127.0.0.1:0")
	}
	var err error
	for _, candidate := range candidates {
		var listener net.Listener
		listener, err = net.Listen("tcp", candidate)
		if err == nil {
			// The listener ends here, so another process may take the address before the program does.
			defer listener.Close()
			return listener.Addr().String(), nil
		}
	}
	return "", fmt.Errorf("find a port that browsers refuse: %w", err)
}

// outputTail keeps the end of a program's output, for the error that explains why the program ended.
type outputTail struct {
	mu   sync.Mutex
	text []byte
}

const maxOutputTail = 4096 // bytes

// Write keeps the last 4 KB of what was written.
func (o *outputTail) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if extra := len(o.text) - maxOutputTail; extra > 0 {
		o.text = append(o.text[:0], o.text[extra:]...)
	}
	return len(p), nil
}

func (o *outputTail) Close() error { return nil }

func (o *outputTail) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(string(o.text))
}
