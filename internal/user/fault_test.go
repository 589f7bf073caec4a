package user_test

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/internal/local"
	"frontdesk/internal/table"
)

// act is one request of a client, made ready by a test: once with a fault, and once more without, as a client
// repeats what failed.
type act struct {
	do func() reply
	// holds checks how it all ended: first is the answer with the fault, again that of the repetition.
	holds func(first, again reply)
}

// aim is a call among those that a request makes: by its action, and by what its body has or has not.
type aim struct{ action, has, hasNot string }

func (a aim) at(c local.Call) bool {
	return c.Action == a.action && bytes.Contains(c.Body, []byte(a.has)) && (a.hasNot == "" || !bytes.Contains(c.Body, []byte(a.hasNot)))
}

// operations are all that the endpoints do, with every call that they make.
var operations = []struct {
	name  string
	calls []aim
	ready func(t *testing.T, c client, other client, email string) act
}{
	{"create", []aim{{"BatchGetItem", "APP#", ""}, {"TransactWriteItems", "", ""}},
		func(t *testing.T, c, other client, email string) act {
			return act{
				func() reply { return c.create(t, details(email, nil)) },
				func(first, again reply) {
					again.is(t, http.StatusOK, "")
					if shown := c.show(t, again.ID); shown.raw != again.raw || first.HTTP == http.StatusOK && first.raw != again.raw {
						t.Errorf("created %s, then %s, shown %s", first.raw, again.raw, shown.raw)
					}
					c.signIn(t, object{"email": email, "password": password}).is(t, http.StatusOK, "")
				},
			}
		}},
	{"create what exists", []aim{{"BatchGetItem", "APP#", ""}, {"PutItem", "APP#", ""}, {"BatchGetItem", "USER#", "APP#"}},
		func(t *testing.T, c, other client, email string) act {
			there := other.mustCreate(t, details(email, nil))
			return act{
				func() reply { return c.create(t, object{"email": email}) },
				func(first, again reply) {
					if shown := c.show(t, there.ID); again.raw != there.raw || shown.raw != there.raw {
						t.Errorf("answer %s, shown %s, want %s", again.raw, shown.raw, there.raw)
					}
				},
			}
		}},
	{"show", []aim{{"BatchGetItem", "APP#", ""}},
		func(t *testing.T, c, other client, email string) act {
			there := c.mustCreate(t, details(email, nil))
			return act{
				func() reply { return c.show(t, there.ID) },
				func(first, again reply) {
					if again.raw != there.raw {
						t.Errorf("answer %s, want %s", again.raw, there.raw)
					}
				},
			}
		}},
	{"update", []aim{{"BatchGetItem", "APP#", ""}, {"UpdateItem", "USER#", ""}},
		func(t *testing.T, c, other client, email string) act {
			there := c.mustCreate(t, details(email, nil))
			return act{
				func() reply { return c.update(t, there.ID, object{"name": "New"}) },
				func(first, again reply) {
					if shown := c.show(t, there.ID); again.Name != "New" || shown.raw != again.raw {
						t.Errorf("answer %s, shown %s", again.raw, shown.raw)
					}
				},
			}
		}},
	{"login", []aim{{"BatchGetItem", "APP#", ""}, {"PutItem", "LOGIN#", ""}},
		func(t *testing.T, c, other client, email string) act {
			there := c.mustCreate(t, details(email, nil))
			return act{
				func() reply { return c.login(t, there.ID) },
				func(first, again reply) {
					for _, r := range []reply{first, again} {
						if r.HTTP == http.StatusOK {
							c.signIn(t, object{"email": email, "sso_auth_token": loginToken(r.URL)}).is(t, http.StatusOK, "")
						}
					}
				},
			}
		}},
	{"sign in with a password", []aim{{"BatchGetItem", "EMAIL#", ""}, {"PutItem", "TOKEN#", ""}, {"BatchGetItem", "USER#", "EMAIL#"}},
		func(t *testing.T, c, other client, email string) act {
			there := c.mustCreate(t, details(email, nil))
			return act{
				func() reply { return c.signIn(t, object{"email": email, "password": password}) },
				func(first, again reply) {
					if again.HTTP != http.StatusOK || !c.good(t, again.Data.AccessToken, there.ID) {
						t.Errorf("answer %d %s", again.HTTP, again.raw)
					}
				},
			}
		}},
	{"sign in with a login token", []aim{{"BatchGetItem", "EMAIL#", ""}, {"TransactWriteItems", "LOGIN#", ""}},
		func(t *testing.T, c, other client, email string) act {
			there := c.mustCreate(t, details(email, nil))
			token := c.mustLogin(t, there.ID)
			return act{
				func() reply { return c.signIn(t, object{"email": email, "sso_auth_token": token}) },
				// One of the two got a token, the other not.
				func(first, again reply) {
					if (first.HTTP == http.StatusOK) == (again.HTTP == http.StatusOK) {
						t.Errorf("answers %d %s and %d %s", first.HTTP, first.raw, again.HTTP, again.raw)
					}
					got := again
					if first.HTTP == http.StatusOK {
						got = first
						again.is(t, http.StatusUnauthorized, "")
					}
					if !c.good(t, got.Data.AccessToken, there.ID) {
						t.Errorf("the token of %s is not good", got.raw)
					}
				},
			}
		}},
	{"fail to sign in", []aim{{"BatchGetItem", "EMAIL#", ""}, {"UpdateItem", "EMAIL#", ""}},
		func(t *testing.T, c, other client, email string) act {
			c.mustCreate(t, details(email, nil))
			return act{
				func() reply { return c.signIn(t, object{"email": email, "password": "wrong password"}) },
				func(first, again reply) {
					again.is(t, http.StatusUnauthorized, "")
					c.signIn(t, object{"email": email, "password": password}).is(t, http.StatusOK, "")
				},
			}
		}},
}

// TestEveryCallFails: every call of every operation, before and after it was applied, once and at every
// attempt. There is never half a user, and the client's repetition ends where it should.
func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	d := open(t)
	faults := []struct {
		name   string
		fault  *local.Fault
		always bool
		status int // of a call that fails at every attempt
	}{
		{"cut before", local.CutBefore, false, 0},
		{"cut after", local.CutAfter, false, 0},
		{"500", local.ServerError, false, 0},
		{"throttled", local.Throttled, false, 0},
		{"conflict", local.Conflict, false, 0},
		{"always cut before", local.CutBefore, true, 500},
		{"always cut after", local.CutAfter, true, 500},
		{"always in conflict", local.Conflict, true, 409},
	}
	var victims sync.Map // by id of the request
	var armed sync.Map   // by mark in the request's first call
	d.stack.Gate().Inject(func(c local.Call) *local.Fault {
		if c.N == 1 {
			armed.Range(func(mark, v any) bool {
				if bytes.Contains(c.Body, []byte(mark.(string))) {
					victims.Store(c.RequestID, v)
				}
				return true
			})
		}
		if v, ok := victims.Load(c.RequestID); ok {
			return v.(*victim).fault(c)
		}
		return nil
	})
	limit := make(chan struct{}, 16) // cases at a time, which mostly wait
	busy := make(chan struct{}, 2)   // of them those that hash a password to make ready
	var wg sync.WaitGroup
	for i, op := range operations {
		for j, call := range op.calls {
			for k, f := range faults {
				name := fmt.Sprintf("%s, %s %s %s", op.name, call.action, call.has, f.name)
				if f.fault == local.Conflict && call.action == "BatchGetItem" {
					continue // reads do not conflict
				}
				wg.Go(func() {
					limit <- struct{}{}
					defer func() { <-limit }()
					app, other := d.newApp(t, name), d.newApp(t, "another of "+name)
					email := fmt.Sprintf("user-%d-%d-%d@example.org", i, j, k)
					busy <- struct{}{}
					a := op.ready(t, app, other, email)
					<-busy
					v := &victim{aim: call, what: f.fault, always: f.always}
					for _, mark := range []string{table.App(app.app.ID).PK, email} {
						armed.Store(mark, v)
					}
					first := a.do()
					for _, mark := range []string{table.App(app.app.ID).PK, email} {
						armed.Delete(mark)
					}
					want := f.status
					// Every answer is lost, and yet the sign-in is seen to have happened.
					if want == 0 || f.fault == local.CutAfter && op.name == "sign in with a login token" && call.action == "TransactWriteItems" {
						want = http.StatusOK
						if op.name == "fail to sign in" {
							want = http.StatusUnauthorized
						}
					}
					if first.HTTP != want {
						t.Errorf("%s: answer %d %s, want %d", name, first.HTTP, first.raw, want)
					}
					if v.hits.Load() == 0 {
						t.Errorf("%s: no call was failed: %q", name, d.actions(first))
					}
					a.holds(first, a.do())
				})
			}
		}
	}
	wg.Wait()
	d.stack.Gate().Inject(nil)
	d.checkWhole(t)
}

// victim is a request of which a call is to fail.
type victim struct {
	aim    aim
	what   *local.Fault
	always bool
	hits   atomic.Int64
}

func (v *victim) fault(c local.Call) *local.Fault {
	if !v.aim.at(c) || v.hits.Add(1) > 1 && !v.always {
		return nil
	}
	return v.what
}

// TestAFailureIsCountedOnce, also when its count is written twice because the answer was lost.
func TestAFailureIsCountedOnce(t *testing.T) {
	d := open(t)
	for range 3 {
		var once atomic.Bool
		d.stack.Gate().Inject(func(c local.Call) *local.Fault {
			if c.Action == "UpdateItem" && !once.Swap(true) {
				return local.CutAfter
			}
			return nil
		})
		d.signIn(t, object{"email": "eve@example.org", "password": password}).is(t, http.StatusUnauthorized, "")
	}
	for _, item := range d.everything(t) {
		if k := keyOf(t, item); k.SK != "ATTEMPTS" || len(item) != 3+3 {
			t.Errorf("%s has %d attributes: %v", k, len(item), item)
		}
	}
}
