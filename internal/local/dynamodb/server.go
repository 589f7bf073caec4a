// Package dynamodb stands for DynamoDB.
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
	databaseStart = 10 * time.Second // until it listens
	databaseGrace = 5 * time.Second  // until it has ended by itself
	databasePorts = 5                // tries to find a free port
)

// Open creates the tables that are absent, on the server that runs or on one that it starts, and waits until they
// are active.
func Open(ctx context.Context, c Config) (*Server, error) {
	s := &Server{URL: c.Endpoint}
	if c.Endpoint == "" {
		var err error
		if s, err = startDatabase(ctx, c.Root, c.File); err != nil {
			return nil, err
		}
	}
	s.config = c
	if err := createTables(ctx, dynamodb.NewFromConfig(s.Operator()), c.Tables); err != nil {
		s.Close()
		return nil, err
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

// Environ is the environment of an operator's tools, such as the AWS CLI: what Operator is, and TABLE_NAME when there is
// one table.
func (s *Server) Environ() map[string]string {
	environ := map[string]string{
		"AWS_ACCESS_KEY_ID":         AccessKeyID,
		"AWS_ENDPOINT_URL_DYNAMODB": s.URL,
		"AWS_REGION":                s.config.Region,
		"AWS_SECRET_ACCESS_KEY":     AccessKeyID,
	}
	if len(s.config.Tables) == 1 {
		environ["TABLE_NAME"] = s.config.Tables[0].Name
	}
	return environ
}

// Close ends the server in an orderly way, if it is the stack's own.
func (s *Server) Close() error {
	if s.child != nil {
		s.child.Stop(databaseGrace)
	}
	return nil
}

// startDatabase starts dynoxide on a free port and waits until it listens. Its tables are in the
// file, or in memory when there is none.
func startDatabase(ctx context.Context, root, file string) (*Server, error) {
	binary, err := installDynoxide(ctx, root)
	if err != nil {
		return nil, err
	}
	if file != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, fmt.Errorf("make the database's folder: %w", err)
		}
	}
	for range databasePorts {
		var port int
		if port, err = freePort(); err != nil {
			break
		}
		var db *Server
		if db, err = tryDatabase(ctx, binary, file, port); err == nil {
			return db, nil
		}
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return nil, fmt.Errorf("start the database: %w", err)
}

// errPortTaken is a port that was free a moment ago.
var errPortTaken = errors.New("the port was taken in between")

func tryDatabase(ctx context.Context, binary, file string, port int) (*Server, error) {
	args := []string{"serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port)}
	if file != "" {
		args = append(args, "--db-path", file)
	}
	output := new(lastOutput)
	child, err := child.Start(exec.Command(binary, args...), output, output)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, databaseStart)
	defer cancel()
	if err := awaitListening(ctx, child, output); err != nil {
		child.Kill()
		if strings.Contains(output.String(), "already in use") {
			return nil, errPortTaken
		}
		return nil, fmt.Errorf("%w\n%s", err, output)
	}
	return &Server{URL: fmt.Sprintf("http://127.0.0.1:%d", port), child: child}, nil
}

// awaitListening waits for the database's own word that it listens: what answers on its port may be
// another database, which was faster.
func awaitListening(ctx context.Context, child *child.Process, output *lastOutput) error {
	for !strings.Contains(output.String(), "listening on") {
		select {
		case <-child.Ended:
			return fmt.Errorf("it has ended: %w", child.Err)
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

// lastOutput is the end of what a program has written, for the error that tells why it ended.
type lastOutput struct {
	mu   sync.Mutex
	text []byte
}

const maxLastOutput = 4096

func (o *lastOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if extra := len(o.text) - maxLastOutput; extra > 0 {
		o.text = append(o.text[:0], o.text[extra:]...)
	}
	return len(p), nil
}

func (o *lastOutput) Close() error { return nil }

func (o *lastOutput) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(string(o.text))
}
