// Package dynamodb stands for DynamoDB: a server of its API with the tables of a template, and what an operation needs
// of a policy. The server is dynoxide, on SQLite, or one that runs already. Unlike the service, dynoxide has no
// throttling and no conflicts between transactions, which package contention adds, and no eventually consistent reads,
// and it keeps items that expire. It answers pages of every origin, so it listens where no browser connects to.
package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/local/child"
	"frontdesk/internal/local/template"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Server is a DynamoDB with the tables of a template.
type Server struct {
	URL    string     // base URL
	Failed chan error // gets why the program has ended, if it cannot be started again
	config Config
	binary string
	addr   string // host and port

	mu      sync.Mutex
	child   *child.Process // nil: the server is not the stack's own
	closing bool
}

// Config says which server it is.
type Config struct {
	Endpoint string // of a server that runs; empty: one is started
	Root     string // the project's folder; its .local has the program
	File     string // that has the tables; empty: they are in memory
	Region   string
	Tables   []template.Table
}

// AccessKeyID is that of an operator, and of what the gate lets through: DynamoDB Local keeps one database for each.
const AccessKeyID = "local"

const (
	startTimeout = 10 * time.Second // until the program listens
	stopGrace    = 5 * time.Second  // until it has ended by itself
	addrTries    = 5                // to find a free address
)

// Open creates the tables that are absent, on the server that runs or on one that it starts, and waits until they
// are active.
func Open(ctx context.Context, c Config) (*Server, error) {
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

// Operator is the configuration of an operator: its clients call the server directly, not through the gate.
func (s *Server) Operator() aws.Config {
	return aws.Config{
		Region:       s.config.Region,
		Credentials:  credentials.NewStaticCredentialsProvider(AccessKeyID, AccessKeyID, ""),
		BaseEndpoint: aws.String(s.URL),
	}
}

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

// Supervise starts the program again, with the same tables at the same URL, when it ends. Tables in memory are gone
// then, and it is not.
func (s *Server) Supervise(log *slog.Logger) {
	if s.child != nil {
		go func() {
			for err := error(nil); err == nil; {
				err = s.revive(log)
			}
		}()
	}
}

// errClosed is an end that was asked for.
var errClosed = errors.New("the server is closed")

// revive waits until the program ends, and starts it again.
func (s *Server) revive(log *slog.Logger) error {
	<-s.child.Ended
	s.mu.Lock() // Close waits, and ends the new one
	defer s.mu.Unlock()
	if s.closing {
		return errClosed
	}
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

// start starts dynoxide on a free address and waits until it listens.
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

// errAddressTaken is an address that was free a moment ago.
var errAddressTaken = errors.New("the address was taken in between")

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
	output := new(outputTail)
	program, err := child.Start(exec.Command(s.binary, args...), output, output)
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

// awaitListening waits until the program says that it listens: what answers on its port may be another database, which
// was faster.
func awaitListening(ctx context.Context, program *child.Process, output *outputTail) error {
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

// refusedPorts are those that any user may listen on, of the ports that browsers connect to for no page.
// https://fetch.spec.whatwg.org/#port-blocking
var refusedPorts = []int{6665, 6666, 6667, 6668, 6669, 6679, 6697, 3659, 4045, 4190, 5060, 5061, 6566, 10080}

// freeAddress is an address with one of the refusedPorts: one of 16 million addresses of the loopback, drawn anew, or
// 127.0.0.1 on a system that has no other, such as macOS. Where that has none left, anyPort allows another one.
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
			defer listener.Close()
			return listener.Addr().String(), nil
		}
	}
	return "", fmt.Errorf("find a port that browsers refuse: %w", err)
}

// outputTail is the end of what a program has written, for the error that tells why it ended.
type outputTail struct {
	mu   sync.Mutex
	text []byte
}

const maxOutputTail = 4096 // bytes

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
