package user

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/alexedwards/argon2id"
)

// Service keeps the users of all platform apps.
type Service struct {
	Table table.Table
	// FrontendURL is the address that login links lead to, without a slash at its end; "" is the API's own address.
	FrontendURL string
	// HashParams are what a password costs to hash; the zero Params are the default.
	HashParams argon2id.Params

	// What tests replace; nil is the real one.
	clock  func() time.Time
	ids    func() id.ID
	hasher *hasher
}

// FromEnvironment builds the service of a function: TABLE_NAME, and FRONTEND_URL and PASSWORD_HASH, which may be empty.
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	frontend := os.Getenv("FRONTEND_URL")
	if err := checkFrontend(frontend); err != nil {
		return nil, fmt.Errorf("FRONTEND_URL %w", err)
	}
	params, err := parseHashParams(os.Getenv("PASSWORD_HASH"))
	if err != nil {
		return nil, fmt.Errorf("PASSWORD_HASH %w", err)
	}
	return &Service{Table: t, FrontendURL: strings.TrimRight(frontend, "/"), HashParams: params}, nil
}

// checkFrontend refuses an address to which no path and no query can be added.
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

// Now is the time in UTC, in milliseconds as the API tells it.
func (s *Service) Now() time.Time {
	clock := s.clock
	if clock == nil {
		clock = time.Now
	}
	return clock().UTC().Truncate(time.Millisecond)
}

func (s *Service) newID() id.ID {
	if s.ids == nil {
		return id.New()
	}
	return s.ids()
}

// settleTime is kept of a request's time for the case that nobody knows what a write has done.
const settleTime = 2 * time.Second

// Settling ends a context before its deadline, so that there is time to find out what a write of it has done.
func Settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return api.EndBefore(ctx, settleTime)
}

// maxBody is what a body may have in bytes, before it is known who sends it: several times what the rules allow, custom
// attributes twice.
const maxBody = 32 << 10

// Object reads a request's body.
func Object(r *api.Request) (*api.Object, error) {
	body, err := r.Bytes()
	if err != nil {
		return nil, err
	}
	return r.ParseObject(body)
}
