package user_test

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/check"
	"frontdesk/internal/check/rules"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/local"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/table"
)

// attempt is a request that a client makes twice: first with a fault, and again without one, as clients repeat
// what failed.
type attempt struct {
	do    func() reply
	check func(first, again reply)
}

// callPattern matches one call of a request by its action, by what its body has, and by what it has not.
type callPattern struct{ action, has, hasNot string }

func (p callPattern) match(c gate.Call) bool {
	return c.Action == p.action && bytes.Contains(c.Body, []byte(p.has)) &&
		(p.hasNot == "" || !bytes.Contains(c.Body, []byte(p.hasNot)))
}

// killed is what API Gateway answers for a process that has died.
const killed = `{"message":"Internal Server Error"}`

// sharedPortal is a portal that users of some operations are members of.
var sharedPortal = table.Portal{Account: 1, Slug: "shared"}

// operations are all that the endpoints do, with every call that they make. A pattern names a call by the prefixes of
// keys in its body. check compares the answers of both requests with what the table then says.
var operations = []struct {
	name    string
	calls   []callPattern
	prepare func(t *testing.T, c client, other client, email string) attempt
}{
	{"create", []callPattern{{"BatchGetItem", "APP#", ""}, {"TransactWriteItems", "", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			return attempt{
				func() reply { return c.create(t, details(email, nil)) },
				func(first, again reply) {
					again.is(t, http.StatusOK, "")
					shown := c.show(t, again.ID)
					expect.Equal(t, "shown.Raw", shown.Raw, again.Raw)
					if first.Status == http.StatusOK {
						expect.Equal(t, "first.Raw", first.Raw, again.Raw)
					}
					c.signIn(t, object{"email": email, "password": password}).is(t, http.StatusOK, "")
				},
			}
		}},
	{"create what exists",
		[]callPattern{
			{"BatchGetItem", "APP#", ""}, {"BatchGetItem", "LINK#", "APP#"}, {"TransactWriteItems", "LINK#", ""},
		},
		func(t *testing.T, c, other client, email string) attempt {
			there := other.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.create(t, object{"email": email}) },
				func(first, again reply) {
					if shown := c.show(t, there.ID); again.Raw != there.Raw || shown.Raw != there.Raw {
						t.Errorf("answer %s, shown %s, want %s", again.Raw, shown.Raw, there.Raw)
					}
				},
			}
		}},
	{"show", []callPattern{{"BatchGetItem", "APP#", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.show(t, there.ID) },
				func(first, again reply) {
					if again.Raw != there.Raw {
						t.Errorf("answer %s, want %s", again.Raw, there.Raw)
					}
				},
			}
		}},
	{"update", []callPattern{{"BatchGetItem", "APP#", ""}, {"TransactWriteItems", "USER#", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.update(t, there.ID, object{"name": "New"}) },
				func(first, again reply) {
					shown := c.show(t, there.ID)
					expect.Equal(t, "again.Name", again.Name, "New")
					expect.Equal(t, "shown.Raw", shown.Raw, again.Raw)
				},
			}
		}},
	{"change the e-mail address",
		[]callPattern{{"BatchGetItem", "APP#", ""}, {"BatchGetItem", "EMAIL#", "APP#"}, {"TransactWriteItems", "", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.update(t, there.ID, object{"email": "moved-" + email}) },
				func(first, again reply) {
					shown := c.show(t, there.ID)
					expect.Equal(t, "again.Email", again.Email, "moved-"+email)
					expect.Equal(t, "shown.Raw", shown.Raw, again.Raw)
					signedIn := c.signIn(t, object{"email": "moved-" + email, "password": password})
					signedIn.is(t, http.StatusOK, "")
					if next := c.mustHave(t, details(email, nil)); next.ID == there.ID {
						t.Errorf("the address of before is still the user's: %s", next.Raw)
					}
				},
			}
		}},
	{"change the password", []callPattern{{"BatchGetItem", "APP#", ""}, {"TransactWriteItems", "", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			token := c.mint(t, there.ID).AccessToken
			return attempt{
				func() reply { return c.update(t, there.ID, object{"password": "another password"}) },
				func(first, again reply) {
					again.is(t, http.StatusOK, "")
					for given, want := range map[string]int{"another password": 200, password: 401} {
						c.signIn(t, object{"email": email, "password": given}).is(t, want, "")
					}
					if c.good(t, token, there.ID) {
						t.Error("a token of before is good")
					}
				},
			}
		}},
	{"delete", []callPattern{
		{"BatchGetItem", "APP#", ""}, {"TransactWriteItems", "EMAIL#", ""}, {"Query", "LINKED#", ""},
		{"Query", "MEMBERSHIP#", ""}, {"Query", "TOKEN#", ""}, {"Query", "LOGIN#", "TOKEN#"},
		{"TransactWriteItems", "LINKED#", "EMAIL#"},
	},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			other.mustCreate(t, object{"email": email})
			c.AddMember(t, sharedPortal, there.ID)
			token, link := c.mint(t, there.ID).AccessToken, c.mustLogin(t, there.ID)
			return attempt{
				func() reply { return c.delete(t, there.ID) },
				func(first, again reply) {
					if again.Status != http.StatusUnauthorized && (again.Status != 200 || first.Status == 200) {
						t.Errorf("answers %d %s, then %d %s", first.Status, first.Raw, again.Status, again.Raw)
					}
					isUnauthorized(t, c.show(t, there.ID))
					isUnauthorized(t, other.show(t, there.ID))
					c.signIn(t, object{"email": email, "password": password}).is(t, 401, "")
					if c.good(t, token, there.ID) {
						t.Error("a token of a deleted user is good")
					}
					if next := c.mustHave(t, details(email, nil)); next.ID == there.ID {
						t.Errorf("the address is still the user's: %s", next.Raw)
					}
					c.signIn(t, object{"email": email, "sso_auth_token": link}).is(t, 401, "")
				},
			}
		}},
	{"list",
		[]callPattern{{"BatchGetItem", "APP#", ""}, {"Query", "LINK#", ""}, {"BatchGetItem", "USER#", "APP#"}},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.list(t, "") },
				func(first, again reply) {
					if again.Raw != `{"payload":[`+there.Raw+`],"meta":{}}` {
						t.Errorf("answer %s, want %s", again.Raw, there.Raw)
					}
				},
			}
		}},
	{"make a token", []callPattern{{"BatchGetItem", "APP#", ""}, {"TransactWriteItems", "TOKEN#", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.mint(t, there.ID) },
				func(first, again reply) {
					for _, r := range []reply{first, again} {
						if r.Status == http.StatusOK && !c.good(t, r.AccessToken, there.ID) {
							t.Errorf("the token of %s is not good", r.Raw)
						}
					}
					again.is(t, http.StatusOK, "")
				},
			}
		}},
	{"end the tokens", []callPattern{{"BatchGetItem", "APP#", ""}, {"TransactWriteItems", "EMAIL#", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			token, link := c.mint(t, there.ID).AccessToken, c.mustLogin(t, there.ID)
			return attempt{
				func() reply { return c.endTokens(t, there.ID) },
				func(first, again reply) {
					again.is(t, http.StatusOK, "")
					if c.good(t, token, there.ID) {
						t.Error("a token of before is good")
					}
					c.signIn(t, object{"email": email, "sso_auth_token": link}).is(t, http.StatusUnauthorized, "")
					c.signIn(t, object{"email": email, "password": password}).is(t, http.StatusOK, "")
				},
			}
		}},
	{"login", []callPattern{{"BatchGetItem", "APP#", ""}, {"TransactWriteItems", "LOGIN#", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.login(t, there.ID) },
				func(first, again reply) {
					for _, r := range []reply{first, again} {
						if r.Status == http.StatusOK {
							signedIn := c.signIn(t, object{"email": email, "sso_auth_token": loginToken(r.URL)})
							signedIn.is(t, http.StatusOK, "")
						}
					}
				},
			}
		}},
	{"sign in with a password",
		[]callPattern{
			{"BatchGetItem", "EMAIL#", ""}, {"UpdateItem", "ATTEMPTS#", ""}, {"TransactWriteItems", "TOKEN#", ""},
			{"BatchGetItem", "USER#", "EMAIL#"},
		},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.signIn(t, object{"email": email, "password": password}) },
				func(first, again reply) {
					again.Is(t, http.StatusOK, nil)
					expect.Equal(t, "c.good(t, again.Data.AccessToken, there.ID)",
						c.good(t, again.Data.AccessToken, there.ID), true)
				},
			}
		}},
	{"sign in by a foreign hash",
		[]callPattern{
			{"BatchGetItem", "EMAIL#", ""}, {"UpdateItem", "ATTEMPTS#", ""}, {"TransactWriteItems", "TOKEN#", ""},
			{"BatchGetItem", "USER#", "EMAIL#"},
		},
		func(t *testing.T, c, other client, email string) attempt {
			c.mayImport(t, true)
			there := c.mustCreate(t, imported(email, foreignHash))
			return attempt{
				func() reply { return c.signIn(t, object{"email": email, "password": "short"}) },
				func(first, again reply) {
					again.Is(t, http.StatusOK, nil)
					expect.Equal(t, "the session is good", c.good(t, again.Data.AccessToken, there.ID), true)
					expect.HasPrefix(t, "stored", c.stored(t, email), "$argon2id$")
				},
			}
		}},
	{"sign in with a login token",
		[]callPattern{
			{"BatchGetItem", "EMAIL#", ""}, {"UpdateItem", "ATTEMPTS#", ""}, {"TransactWriteItems", "LOGIN#", ""},
		},
		func(t *testing.T, c, other client, email string) attempt {
			there := c.mustHave(t, details(email, nil))
			token := c.mustLogin(t, there.ID)
			return attempt{
				func() reply { return c.signIn(t, object{"email": email, "sso_auth_token": token}) },
				// One of the two requests got a token, the other did not; unless nobody was told.
				func(first, again reply) {
					if first.Raw == killed && again.Status == http.StatusUnauthorized {
						return
					}
					if (first.Status == http.StatusOK) == (again.Status == http.StatusOK) {
						t.Errorf("answers %d %s and %d %s", first.Status, first.Raw, again.Status, again.Raw)
					}
					got := again
					if first.Status == http.StatusOK {
						got = first
						again.is(t, http.StatusUnauthorized, "")
					}
					if !c.good(t, got.Data.AccessToken, there.ID) {
						t.Errorf("the token of %s is not good", got.Raw)
					}
				},
			}
		}},
	{"fail to sign in", []callPattern{{"BatchGetItem", "EMAIL#", ""}, {"UpdateItem", "ATTEMPTS#", ""}},
		func(t *testing.T, c, other client, email string) attempt {
			c.mustHave(t, details(email, nil))
			return attempt{
				func() reply { return c.signIn(t, object{"email": email, "password": "wrong password"}) },
				func(first, again reply) {
					again.is(t, http.StatusUnauthorized, "")
					c.signIn(t, object{"email": email, "password": password}).is(t, http.StatusOK, "")
				},
			}
		}},
}

// TestEveryCallFails fails every call of every operation, before and after it was applied, once or at every attempt.
// There is never half a user, and the client's retry ends in the state that it asked for. A function has 15 seconds,
// and repeats a call that got no answer. So a fault that comes once must not be seen by the client, and one that
// stays is 503 with Retry-After, or 409 for a conflict.
func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	for name, always := range map[string]bool{"once": false, "to the end": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(o *local.Options) {
				if always { // the functions have 5 seconds, and their calls 4
					o.Template = localtest.EditTemplate(t, "Timeout: 15", "Timeout: 5")
				}
			})
			s.failEveryCall(t, always)
		})
	}
}

// failEveryCall runs every operation once for each of its calls and each fault, many at a time. The marks in the first
// calls of a request tell which fault it gets.
func (s *stack) failEveryCall(t *testing.T, always bool) {
	s.NewPortal(t, sharedPortal.Account, sharedPortal.Slug, "en")
	faults := []struct {
		name   string
		fault  *gate.Fault
		always bool
		status int // of a call that fails at every attempt
	}{
		{"cut before", gate.CutBefore, false, 0},
		{"cut after", gate.CutAfter, false, 0},
		{"500", gate.ServerError, false, 0},
		{"throttled", gate.Throttled, false, 0},
		{"conflict", gate.Conflict, false, 0},
		{"always cut before", gate.CutBefore, true, 503},
		{"always cut after", gate.CutAfter, true, 503},
		{"always throttled", gate.Throttled, true, 503},
		{"always in conflict", gate.Conflict, true, 409},
		{"killed before", gate.KillBefore, false, 500},
		{"killed after", gate.KillAfter, false, 500},
	}
	var failing sync.Map // by id of the request
	var armed sync.Map   // by mark in the first calls of the request, which may be two at once
	s.Gate().Inject(func(c gate.Call) *gate.Fault {
		// The first call of a request has the app or the address in its body. The later calls are known by the
		// request's id.
		if _, known := failing.Load(c.RequestID); !known {
			armed.Range(func(mark, v any) bool {
				if bytes.Contains(c.Body, []byte(mark.(string))) {
					failing.Store(c.RequestID, v)
				}
				return true
			})
		}
		if v, ok := failing.Load(c.RequestID); ok {
			return v.(*callFault).fault(c)
		}
		return nil
	})
	atATime := 4
	if always {
		// Most of these requests wait, so many can run side by side.
		atATime = 32
	}
	limit := make(chan struct{}, atATime)
	hashing := make(chan struct{}, 2) // of them those that hash a password to prepare
	var wg sync.WaitGroup
	for i, op := range operations {
		for j, call := range op.calls {
			for k, f := range faults {
				name := fmt.Sprintf("%s, %s %s %s", op.name, call.action, call.has, f.name)
				if f.always != always ||
					f.fault == gate.Conflict && (call.action == "BatchGetItem" || call.action == "Query") {
					continue // of another stack; or a read, which does not conflict
				}
				wg.Go(func() {
					limit <- struct{}{}
					defer func() { <-limit }()
					app, other := s.newApp(t, name), s.newApp(t, "another of "+name)
					email := fmt.Sprintf("user-%d-%d-%d@example.org", i, j, k)
					hashing <- struct{}{}
					a := op.prepare(t, app, other, email)
					<-hashing
					v := &callFault{call: call, what: f.fault, always: f.always}
					for _, mark := range []string{table.App(app.app.ID).PK, email} {
						armed.Store(mark, v)
					}
					first := a.do()
					for _, mark := range []string{table.App(app.app.ID).PK, email} {
						armed.Delete(mark)
					}
					// A fault that comes once is repaired by the function itself, so the client sees success.
					want := f.status
					// Every answer is lost, and yet what was to happen is seen to have happened.
					seen := f.fault == gate.CutAfter && call.action == "TransactWriteItems" &&
						(op.name == "sign in with a login token" || op.name == "delete")
					// Whether a deleted user's records are tidied up is not for the client.
					untold := op.name == "delete" && call.action != "BatchGetItem" && call.has != "EMAIL#" &&
						f.fault != gate.KillBefore && f.fault != gate.KillAfter
					if want == 0 || seen || untold {
						want = http.StatusOK
						if op.name == "fail to sign in" {
							want = http.StatusUnauthorized
						}
					}
					if first.Status != want {
						t.Errorf("%s: answer %d %s, want %d", name, first.Status, first.Raw, want)
					}
					again := first.Header.Get("Retry-After")
					if (again != "") != (first.Status == 409 || first.Status == 503) {
						t.Errorf("%s: answer %d with Retry-After %q", name, first.Status, again)
					}
					// A call pattern that matches nothing would let the case pass without any fault.
					if v.hits.Load() == 0 {
						t.Errorf("%s: no call was failed: %q", name, s.Actions(first.Answer))
					}
					a.check(first, a.do())
				})
			}
		}
	}
	wg.Wait()
	s.Gate().Inject(nil)
	s.finishDeletions(t)
	s.checkInvariants(t)
	s.MustBeWhole(t)
}

// finishDeletions lets a repair delete what is left of deleted users. The check may report nothing else.
func (s *stack) finishDeletions(t *testing.T) {
	t.Helper()
	saved := filepath.Join(t.TempDir(), "saved")
	report, err := check.Run(t.Context(), s.Table, rules.All, check.Options{Repair: saved})
	if err != nil {
		t.Fatalf("checked: %v", err)
	}
	expect.AtLeast(t, "checked: len(report.Faults)", len(report.Faults), 1)
	expect.AtMost(t, "checked: report.Unmended()", report.Unmended(), 0)
	for _, f := range report.Faults {
		if !strings.Contains(f.What, "not exist") {
			t.Errorf("broken: %s", f.What)
		}
	}
}

// callFault makes one call of a request fail.
type callFault struct {
	call   callPattern
	what   *gate.Fault
	always bool
	hits   atomic.Int64
}

// fault fails the first matching call of the request, or all of them.
func (v *callFault) fault(c gate.Call) *gate.Fault {
	if !v.call.match(c) || v.hits.Add(1) > 1 && !v.always {
		return nil
	}
	return v.what
}

// TestAFailureIsCountedOnce shows that a mark that is written twice, because the first answer was lost, is one failure.
func TestAFailureIsCountedOnce(t *testing.T) {
	s := start(t)
	for range 3 {
		var once atomic.Bool
		s.Gate().Inject(func(c gate.Call) *gate.Fault {
			if c.Action == "UpdateItem" && !once.Swap(true) {
				return gate.CutAfter
			}
			return nil
		})
		s.signIn(t, object{"email": "eve@example.org", "password": password}).is(t, http.StatusUnauthorized, "")
	}
	if n := s.attempts(t); n != 3 {
		t.Errorf("%d attempts", n)
	}
}

// inProgress is what DynamoDB answers to a transaction while it still works on an earlier attempt at the same one.
var inProgress = gate.Refuse(400, "TransactionInProgressException", "The transaction is in progress")

// TestSlowTransactions delays the first attempt at a transaction. DynamoDB tells the later attempts that it is in
// progress. The answer still says what has really happened. A repeated transaction has the token of the first attempt
// (ClientRequestToken), so DynamoDB knows that they are one.
func TestSlowTransactions(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]time.Duration{"4.5 s": 4500 * time.Millisecond, "6 s": 6 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			c := s.newApp(t, "app")
			ada := c.mustCreate(t, details("ada@example.org", nil))
			link := object{"email": "ada@example.org", "sso_auth_token": c.mustLogin(t, ada.ID)}
			var mu sync.Mutex
			begun := map[string]time.Time{} // by request
			s.Gate().Inject(func(call gate.Call) *gate.Fault {
				mu.Lock()
				defer mu.Unlock()
				switch start, again := begun[call.RequestID]; {
				case call.Action != "TransactWriteItems":
				case !again:
					begun[call.RequestID] = time.Now()
					return gate.Delay(time.Minute)
				case time.Since(start) < d:
					return inProgress
				}
				return nil
			})
			var both sync.WaitGroup
			both.Go(func() { c.create(t, details("eve@example.org", nil)).is(t, http.StatusOK, "") })
			both.Go(func() {
				r := c.signIn(t, link)
				r.Is(t, http.StatusOK, nil)
				expect.Equal(t, "c.good(t, r.Data.AccessToken, ada.ID)", c.good(t, r.Data.AccessToken, ada.ID), true)
			})
			both.Wait()
			// The link was spent once, however often its transaction was sent.
			c.signIn(t, link).is(t, http.StatusUnauthorized, "")
			s.checkInvariants(t)
		})
	}
}

// TestALoginLinkIsNeverBurnt spends a link without anybody learning it, not even by a read afterwards. The same link
// signs in when it is used again.
func TestALoginLinkIsNeverBurnt(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *local.Options) { o.Template = localtest.EditTemplate(t, "Timeout: 15", "Timeout: 5") })
	c := s.newApp(t, "app")
	ada, eve := c.mustCreate(t, details("ada@example.org", nil)), c.mustCreate(t, details("eve@example.org", nil))
	link := object{"email": "ada@example.org", "sso_auth_token": c.mustLogin(t, ada.ID)}
	var spent atomic.Bool
	s.Gate().Inject(func(call gate.Call) *gate.Fault {
		switch {
		case call.Action == "TransactWriteItems" && !spent.Swap(true):
			return gate.CutAfter
		case call.Action == "TransactWriteItems":
			return inProgress
		case call.Action == "BatchGetItem" && !bytes.Contains(call.Body, []byte("EMAIL#")):
			return gate.Refuse(400, "AccessDeniedException", "") // as if it were spent after the request only
		}
		return nil
	})
	r := c.signIn(t, link)
	r.Is(t, http.StatusServiceUnavailable, nil)
	expect.Not(t, "Retry-After", r.Header.Get("Retry-After"), "")
	s.Gate().Inject(nil)
	r = c.signIn(t, link)
	r.Is(t, http.StatusOK, nil)
	expect.Equal(t, "again: c.good(t, r.Data.AccessToken, ada.ID)", c.good(t, r.Data.AccessToken, ada.ID), true)
	c.signIn(t, fixture.With(link, object{"email": eve.Email})).is(t, http.StatusUnauthorized, "")
	s.checkInvariants(t)
}
