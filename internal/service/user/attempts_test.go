package user_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Addresses of clients in different networks: three strangers, and the user at home.
const (
	stranger1, stranger2, stranger3 = "198.51.100.1", "198.51.101.1", "2001:db8::1"
	home                            = "203.0.113.1"
)

// TestFailures has a sequence of steps with one e-mail address in each case. A step is a number of sign-ins, each
// some time after the previous one. The counts are of hashes: what a bound refuses must cost the service nothing, and
// its answer is the same 401, so that a guesser cannot tell the two apart.
func TestFailures(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		type step struct {
			times  int
			every  time.Duration
			with   string // "wrong", "right", a token, or "bad token"
			status int
			hashes int    // of all sign-ins of the step together
			from   string // the client's IP address, "" for a fixed one; "%d" stands for the number of the sign-in
		}
		const (
			minute = time.Minute
			window = user.FailureWindow
		)
		s := start(t)
		app := s.newApp(t, "app")
		s.inProcess(t).create(t, app, details("bob@example.org", nil))
		n := 0
		ten := step{10, 0, "wrong", 401, 10, ""} // ten failures lock the address
		from := func(ip string) step { return step{10, 0, "wrong", 401, 10, ip} }
		for name, steps := range map[string][]step{
			"the eleventh is not tried":                   {ten, {1, 0, "wrong", 401, 0, ""}},
			"not even with the right password":            {ten, {1, 0, "right", 401, 0, ""}},
			"after the tenth a success is still possible": {{9, 0, "wrong", 401, 9, ""}, {1, 0, "right", 200, 1, ""}},
			"after the window a success works":            {ten, {1, window, "right", 200, 1, ""}},
			"not before":                                  {ten, {1, window - time.Second, "right", 401, 0, ""}},
			// A window that began anew with every failure would let a stranger lock an address for ever.
			"the window of each failure is its own": {
				{10, minute, "wrong", 401, 10, ""}, {1, 6*minute + 1, "wrong", 401, 1, ""},
				{1, 0, "right", 401, 0, ""}, {1, minute, "right", 200, 1, ""},
			},
			"spread out they never count together": {{30, 2 * minute, "wrong", 401, 30, ""},
				{1, 0, "right", 200, 1, ""}},
			"a success ends no count": {
				{9, 0, "wrong", 401, 9, ""}, {1, 0, "right", 200, 1, ""},
				{1, 0, "wrong", 401, 1, ""}, {1, 0, "right", 401, 0, ""},
			},
			// Otherwise a program that repeats an old password would keep its user out.
			"what is not tried does not count": {
				ten, {20, minute / 2, "wrong", 401, 0, ""}, {1, 5 * minute, "right", 200, 1, ""},
			},
			"bad tokens count as well":            {{10, 0, "bad token", 401, 10, ""}, {1, 0, "right", 401, 0, ""}},
			"a bad token is not tried either":     {ten, {1, 0, "bad token", 401, 0, ""}},
			"a good token opens a locked address": {ten, {1, 0, "good token", 200, 0, ""}, {1, 0, "right", 401, 0, ""}},
			// A difference would tell which addresses have users.
			"an address that nobody has is counted the same": {
				{10, 0, "unknown", 401, 10, ""}, {1, 0, "unknown", 401, 0, ""}, {1, window, "unknown", 401, 1, ""},
			},
			"a stranger's failures do not lock the user out": {from(stranger1), {1, 0, "right", 200, 1, home}},
			"however long they go on": {
				{100, minute, "wrong", 401, 70, stranger1}, {1, 0, "right", 401, 0, stranger1},
				{1, 0, "right", 200, 1, home},
			},
			"what is not tried is counted for nobody": {
				from(stranger1), {20, 0, "wrong", 401, 0, stranger1}, from(stranger2), {5, 0, "wrong", 401, 5, home},
			},
			"twenty-five lock the address for everybody": {
				from(stranger1), from(stranger2), {6, 0, "wrong", 401, 5, stranger3}, {1, 0, "right", 401, 0, home},
				{1, 0, "good token", 200, 0, home}, {1, window, "right", 200, 1, home},
			},
			"twenty-four do not": {
				from(stranger1), from(stranger2), {4, 0, "wrong", 401, 4, stranger3}, {2, 0, "right", 200, 2, home},
				{1, 0, "wrong", 401, 1, home}, {1, 0, "right", 401, 0, home},
			},
			"twenty-five from as many networks": {
				{30, 0, "wrong", 401, 25, "198.51.%d.1"}, {1, 0, "right", 401, 0, home},
				{1, window, "right", 200, 1, home},
				{30, 0, "wrong", 401, 25, "198.51.%d.1"}, {1, window, "wrong", 401, 1, home},
				{1, 0, "right", 200, 1, home},
			},
			"addresses of a /24 are one network": {
				{12, 0, "wrong", 401, 10, "198.51.100.%d"}, {1, 0, "right", 401, 0, "198.51.100.255"},
				{1, 0, "right", 200, 1, "198.51.101.0"},
			},
			// A provider gives a customer at least a /64, so one person has all of its addresses.
			"addresses of a /64 are one network": {
				{12, 0, "wrong", 401, 10, "2001:db8:0:7:%d::"},
				{1, 0, "right", 401, 0, "2001:db8:0:7:ffff:ffff:ffff:ffff"},
				{1, 0, "right", 200, 1, "2001:db8:0:8::"},
			},
			"an IPv4 address in IPv6's form is one of IPv4": {
				from("::ffff:198.51.100.1"), {1, 0, "right", 401, 0, "198.51.100.2"},
				{1, 0, "right", 200, 1, "::ffff:203.0.113.1"},
			},
			// API Gateway always has an address here. If it had none, guesses must be bounded all the same.
			"what is no address is one network": {
				from("unknown"), {1, 0, "right", 401, 0, "198.51.100.1.1"}, {1, 0, "right", 401, 0, " "},
				{1, 0, "right", 200, 1, home},
			},
			"the window of each network is its own": {
				from(stranger1), {10, minute, "wrong", 401, 10, home}, {1, 5*minute + 1, "right", 200, 1, stranger1},
				{1, 0, "right", 401, 0, home}, {1, minute, "right", 200, 1, home},
			},
		} {
			n++
			email, unknown := fmt.Sprintf("ada-%d@example.org", n), fmt.Sprintf("Eve-%d@example.org", n)
			localtest.Case(t, name, func(t testing.TB) {
				in := s.inProcess(t)
				ada := in.create(t, app, details(email, nil))
				for i, step := range steps {
					before := in.hashes()
					for n := range step.times {
						time.Sleep(step.every)
						credentials := object{"email": email}
						switch step.with {
						case "wrong":
							credentials["password"] = "wrong password"
						case "right":
							credentials["password"] = password
						case "unknown":
							credentials = object{"email": unknown, "password": password}
						case "bad token":
							credentials["sso_auth_token"] = "x"
						case "good token":
							credentials["sso_auth_token"] = in.newLoginToken(t, app, ada.ID)
						}
						ip := cmp.Or(strings.ReplaceAll(step.from, "%d", fmt.Sprint(n)), "192.0.2.1")
						r := in.signInFrom(t, ip, credentials)
						if r.Status != step.status || r.Status == 401 && r.Raw != refused {
							t.Errorf("step %d: answer %d %s, want %d", i, r.Status, r.Raw, step.status)
						}
					}
					if n := in.hashes() - before; n != step.hashes {
						t.Errorf("step %d: %d hashes, want %d", i, n, step.hashes)
					}
				}
				r := in.signIn(t, object{"email": "bob@example.org", "password": password})
				expect.Equal(t, r.Status, http.StatusOK, "another address: "+r.Raw)
				s.checkAttempts(t)
			})
		}
		s.mustBeWhole(t)
	})
}

// attempts is the record of the failed sign-ins for an address.
type attempts struct {
	table.Key
	Marks     []string `dynamo:"marks,set"`
	ExpiresAt int64    `dynamo:"expires_at"`
}

// leaveFailures stores failed sign-ins for an address, from a network that no test uses.
func (s *stack) leaveFailures(t testing.TB, email string, n int, at time.Time) {
	t.Helper()
	r := struct {
		attempts
		FromOne []string `dynamo:"fromone,set"`
	}{attempts: attempts{Key: table.SignInAttempts(email), ExpiresAt: at.Add(user.FailureWindow).Unix()}}
	for i := range n {
		r.Marks = append(r.Marks, fmt.Sprintf("%d_fromone_%d", at.UnixMilli(), i))
	}
	r.FromOne = r.Marks
	if err := s.Table.Put(r).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// checkAttempts checks the bounds of every record of failures. A record has each mark twice, once in the set of its
// network, and nothing else that can grow.
func (s *stack) checkAttempts(t testing.TB) {
	t.Helper()
	for _, item := range s.Items(t) {
		var r attempts
		if decode(t, item, &r); r.SK != "ATTEMPTS" {
			continue
		}
		var again []string
		for name, value := range item {
			set, ok := value.(*types.AttributeValueMemberSS)
			if !ok || name == "marks" {
				continue
			}
			if again = append(again, set.Value...); len(set.Value) > user.MaxFailures {
				t.Errorf("%d failures are counted for a network", len(set.Value))
			}
			delete(item, name)
		}
		slices.Sort(again)
		slices.Sort(r.Marks)
		expect.AtMost(t, len(item), 4)
		expect.AtMost(t, len(r.Marks), user.MaxFailuresOfAll)
		expect.AtLeast(t, r.ExpiresAt, 1)
		expect.Equal(t, again, r.Marks)
	}
}

// attempts counts the failed sign-ins for all addresses.
func (s *stack) attempts(t testing.TB) (n int) {
	t.Helper()
	for _, item := range s.Items(t) {
		var record attempts
		if fixture.KeyOf(t, item).SK == "ATTEMPTS" {
			decode(t, item, &record)
			n += len(record.Marks)
		}
	}
	return n
}

// TestTheEleventhFailureThroughHTTP shows that it is answered like the ten before, and not counted. API Gateway tells
// the client's network; headers that claim another one have no effect.
func TestTheEleventhFailureThroughHTTP(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.newApp(t, "app").mustHave(t, details("ada@example.org", nil))
		for n := range user.MaxFailures {
			ip := fmt.Sprintf("198.51.%d.1", n)
			header := http.Header{"X-Forwarded-For": {ip}, "Forwarded": {"for=" + ip}, "X-Real-Ip": {ip}}
			wrong := object{"email": "ada@example.org", "password": "wrong password"}
			r := s.call(t, fixture.To("signIn"), header, wrong)
			r.Is(t, 401, nil)
			expect.Equal(t, r.Raw, refused)
			expect.Equal(t, len(s.Actions(r.Answer)), 2)
		}
		r := s.signIn(t, object{"email": "ADA@example.org", "password": password})
		r.Is(t, 401, nil)
		expect.Equal(t, r.Raw, refused)
		expect.Equal(t, len(s.Actions(r.Answer)), 2)
		expect.Equal(t, s.attempts(t), user.MaxFailures)
	})
}

// TestGuessesAtTheSameTime sends 32 guesses at once to 8 processes. At most ten from one network and 25 from all are
// hashed for an address, whether its record is new or full of marks that count no longer.
func TestGuessesAtTheSameTime(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const guesses, processes = 32, 8
		wrong := object{"email": "ada@example.org", "password": "wrong password"}
		s := start(t)
		app := s.newApp(t, "app")
		var in []*inProcess // each a function of its own
		hashes := func() (n int) {
			for _, process := range in {
				n += process.hashes()
			}
			return n
		}
		for range processes {
			in = append(in, s.inProcess(t))
		}
		ada := in[0].create(t, app, details("ada@example.org", nil))
		for _, c := range []struct {
			name        string
			networks    int
			after       time.Duration
			credentials object
			hashes      int
			marks       int // of all addresses afterwards
		}{
			{"of an address that nobody has", 1, 0, object{"email": "eve@example.org", "password": "x"}, 10, 10},
			{"of a token", 1, 0, object{"email": "bob@example.org", "sso_auth_token": "x"}, 10, 20},
			{"of a password", 1, 0, wrong, 10, 30},
			{"after the window", 1, user.FailureWindow, wrong, 10, 30},
			{"from two networks", 2, user.FailureWindow, wrong, 20, 40},
			{"from four networks", 4, user.FailureWindow, wrong, 25, 45},
			{"from a network each", guesses, user.FailureWindow, wrong, 25, 45},
		} {
			localtest.Case(t, c.name, func(t testing.TB) {
				time.Sleep(c.after)
				before := hashes()
				// i%processes spreads the guesses over the processes, i%networks over the networks.
				guess := func(i int) reply {
					return in[i%processes].signInFrom(t, fmt.Sprintf("198.51.%d.%d", i%c.networks, i), c.credentials)
				}
				for _, r := range fixture.Together(guesses, guess) {
					if r.Raw != refused {
						t.Errorf("answer %d %s", r.Status, r.Raw)
					}
				}
				if n := hashes() - before; n != c.hashes {
					t.Errorf("%d hashes, want %d", n, c.hashes)
				}
				if n := s.attempts(t); n != c.marks {
					t.Errorf("%d marks, want %d", n, c.marks)
				}
				s.checkAttempts(t)
			})
		}
		// The right password does not work, a login link does, and takes nothing back that others have done.
		if r := in[0].signIn(t, object{"email": "ada@example.org", "password": password}); r.Raw != refused {
			t.Errorf("answer %d %s", r.Status, r.Raw)
		}
		link := object{"email": "ada@example.org", "sso_auth_token": in[0].newLoginToken(t, app, ada.ID)}
		r := in[0].signIn(t, link)
		r.Is(t, http.StatusOK, nil)
		expect.Equal(t, s.attempts(t), 45)
	})
}

// TestGoodSignInsAtTheSameTime shows that successful sign-ins leave no mark, although each counts until it
// has succeeded.
func TestGoodSignInsAtTheSameTime(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		links := make([]string, user.MaxFailures)
		for i := range links {
			links[i] = app.mustLogin(t, ada.ID)
		}
		// Ten at once is the bound: all of them count until they succeed, and the second ten find none of them left.
		for range 2 {
			for _, r := range fixture.Together(user.MaxFailures, func(int) reply {
				return s.signIn(t, object{"email": "ada@example.org", "password": password})
			}) {
				r.is(t, http.StatusOK, "")
			}
		}
		for _, r := range fixture.Together(len(links), func(i int) reply {
			return s.signIn(t, object{"email": "ada@example.org", "sso_auth_token": links[i]})
		}) {
			r.is(t, http.StatusOK, "")
		}
		if n := s.attempts(t); n != 0 {
			t.Errorf("%d attempts are counted", n)
		}
	})
}

// TestWhatFailsForItsOwnReasonsIsNoAttempt shows that an internal error is no failure of the client, whose credentials
// were good or never checked.
func TestWhatFailsForItsOwnReasonsIsNoAttempt(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.newApp(t, "app").mustHave(t, details("ada@example.org", nil))
		for _, action := range []string{"BatchGetItem", "TransactWriteItems"} {
			s.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
				if c.Action == action {
					return awsproxy.Refuse(400, "AccessDeniedException", "")
				}
				return nil
			})
			r := s.signIn(t, object{"email": "ada@example.org", "password": password})
			n := s.attempts(t)
			r.Is(t, http.StatusInternalServerError, nil)
			expect.Equal(t, n, 0, "s.attempts(t)")
		}
	})
}

// TestALateRepetitionOfACount delays the call that counts an attempt. It arrives after the attempt has succeeded and
// was taken back, and counts it again. That costs the user one failure of ten for 15 minutes, and no more.
func TestALateRepetitionOfACount(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.newApp(t, "app").mustHave(t, details("ada@example.org", nil))
		signIn := func(want int) {
			t.Helper()
			s.signIn(t, object{"email": "ada@example.org", "password": password}).is(t, http.StatusOK, "")
			if n := s.attempts(t); n != want {
				t.Errorf("%d attempts are counted, want %d", n, want)
			}
			s.checkAttempts(t)
		}
		arrive := s.DelayFirstAttempts(t, func() { signIn(0) })
		arrive()
		signIn(1)
	})
}
