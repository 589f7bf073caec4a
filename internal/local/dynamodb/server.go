// Package dynamodb stands for DynamoDB: a server of its API with the tables of a template, and what an operation needs
// of a policy. The server is dynoxide, on SQLite, or one that runs already. Unlike the service, dynoxide has no
// throttling, no eventually consistent reads and no conflicts between transactions, and it keeps items that expire.
package dynamodb

import (
	"context"
	"errors"
	"fmt"
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
	URL    string // base URL
	config Config
	child  *child.Process // nil: the server is not the stack's own
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
	portTries    = 5                // to find a free port
)

// Open creates the tables that are absent, on the server that runs or on one that it starts, and waits until they are
// active.
func Open(ctx context.Context, c Config) (*Server, error) {
	s := &Server{URL: c.Endpoint, config: c}
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
	if s.child != nil {
		s.child.Stop(stopGrace)
	}
	return nil
}

// start starts dynoxide on a free port and waits until it listens.
func (s *Server) start(ctx context.Context) error {
	binary, err := installDynoxide(ctx, s.config.Root)
	if err != nil {
		return err
	}
	if s.config.File != "" {
		if err := os.MkdirAll(filepath.Dir(s.config.File), 0o755); err != nil {
			return fmt.Errorf("make the database's folder: %w", err)
		}
	}
	for range portTries {
		var port int
		if port, err = freePort(); err != nil {
			break
		}
		if err = s.tryPort(ctx, binary, port); !errors.Is(err, errPortTaken) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("start the database: %w", err)
	}
	return nil
}

// errPortTaken is a port that was free a moment ago.
var errPortTaken = errors.New("the port was taken in between")

func (s *Server) tryPort(ctx context.Context, binary string, port int) error {
	args := []string{"serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port)}
	if s.config.File != "" {
		args = append(args, "--db-path", s.config.File)
	}
	output := new(outputTail)
	program, err := child.Start(exec.Command(binary, args...), output, output)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := awaitListening(ctx, program, output); err != nil {
		program.Kill()
		if strings.Contains(output.String(), "already in use") {
			return errPortTaken
		}
		return fmt.Errorf("%w\n%s", err, output)
	}
	s.URL, s.child = fmt.Sprintf("http://127.0.0.1:%d", port), program
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

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
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
