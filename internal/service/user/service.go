package user

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/execution"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"

	"github.com/alexedwards/argon2id"
)

// Service keeps the users of all platform apps.
type Service struct {
	Table table.Table
	// FrontendURL is where login links lead, without a slash at its end. "" means the API's own address.
	FrontendURL string
	// HashParams are what hashing a password costs. The zero Params mean the default.
	HashParams argon2id.Params

	// Tests replace these. Nil means the real one.
	ids    func() id.ID
	hasher *hasher
}

// FromEnvironment builds the service of a function. It reads TABLE_NAME, and FRONTEND_URL and PASSWORD_HASH, which may
// be empty.
func FromEnvironment(e execution.Environment) (*Service, error) {
	t, err := table.FromEnvironment(e)
	if err != nil {
		return nil, err
	}
	frontend := e.Getenv("FRONTEND_URL")
	if err := checkFrontend(frontend); err != nil {
		return nil, fmt.Errorf("FRONTEND_URL %w", err)
	}
	params, err := parseHashParams(e.Getenv("PASSWORD_HASH"))
	if err != nil {
		return nil, fmt.Errorf("PASSWORD_HASH %w", err)
	}
	return &Service{Table: t, FrontendURL: strings.TrimRight(frontend, "/"), HashParams: params}, nil
}

// checkFrontend refuses an address that no path and query can follow.
func checkFrontend(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("must be an http or https address without query and fragment, not %q", s)
	}
	return nil
}

// Now returns the time in UTC and whole milliseconds, as the API shows it.
func (s *Service) Now() time.Time {
	return time.Now().UTC().Truncate(time.Millisecond)
}

func (s *Service) newID() id.ID {
	if s.ids == nil {
		return id.New()
	}
	return s.ids()
}

// settleTime is what is kept back of a request's time for finding out what a write has done when its answer was lost.
const settleTime = 2 * time.Second

// Settling returns a context that ends before the deadline of ctx. The time in between is for finding out what a write
// has done.
func Settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return api.EndBefore(ctx, settleTime)
}

// maxBody is the largest body in bytes, checked before it is known who sends it. It is several times what the rules
// allow, and twice the size of the custom attributes.
const maxBody = 32 << 10

// Object parses a request's body, which must be a JSON object.
func Object(r *api.Request) (*api.Object, error) {
	body, err := r.Bytes()
	if err != nil {
		return nil, err
	}
	return r.ParseObject(body)
}
