package local

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
)

// database is a DynamoDB server that belongs to the stack.
type database struct {
	url   string // base URL
	child *child.Process
}

const (
	databaseStart = 10 * time.Second // until it listens
	databaseGrace = 5 * time.Second  // until it has ended by itself
	databasePorts = 5                // tries to find a free port
)

// startDatabase starts dynoxide on a free port and waits until it listens. Its tables are in the
// file, or in memory when there is none.
func startDatabase(ctx context.Context, root, file string) (*database, error) {
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
		var db *database
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

func tryDatabase(ctx context.Context, binary, file string, port int) (*database, error) {
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
	return &database{url: fmt.Sprintf("http://127.0.0.1:%d", port), child: child}, nil
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

// close ends the database in an orderly way.
func (db *database) close() { db.child.Stop(databaseGrace) }

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
