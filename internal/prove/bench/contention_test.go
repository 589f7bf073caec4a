package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/mail"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/category/tree"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/user"
)

const (
	// minRound is the least time in which clients begin requests. clientRound is added for each client, so that a
	// small share of failures shows among many requests. Each client finishes the request that it has begun.
	minRound    = 400 * time.Millisecond
	clientRound = 35 * time.Millisecond
	// mostClients is the greatest number of clients.
	mostClients = 64
	// throttledUnits is how many write units a second each partition takes in the throttled case. A create writes
	// several items.
	throttledUnits = 50
)

// contender is a kind of request that many clients make at the same time.
type contender struct {
	name string
	send func(client int) (fixture.Answer, error) // sends another request of a client
	fine []int                                    // statuses besides 200 that are no failure
}

// BenchmarkContention lets clients work at the same time, through the gateway, on a database as slow and as contended
// as DynamoDB. It counts the requests that succeed, and reports the share of each failure status among all requests.
// A mail that gets 200 and is not sent is a failure, too.
func BenchmarkContention(b *testing.B) {
	throttled := contention.AWS()
	throttled.WriteUnits = throttledUnits
	scarce := newContenders(b, throttled)
	for _, c := range append(newContenders(b, contention.AWS()).all(b), scarce.creates("writes-throttled", nil)) {
		for _, clients := range []int{1, 4, 16, mostClients} {
			var measured map[string]float64
			b.Run(fmt.Sprintf("kind=%s/clients=%d", c.name, clients), func(b *testing.B) {
				if b.N == 1 { // one run is enough, whatever -benchtime is
					measured = c.measure(b, clients)
				}
				for unit, v := range measured {
					b.ReportMetric(v, unit)
				}
			})
		}
	}
}

// measure returns figures by their units.
func (c contender) measure(b *testing.B, clients int) map[string]float64 {
	b.Helper()
	fixture.Together(clients, func(i int) error { // starts a process for each client
		_, err := c.send(i)
		return err
	})
	round := minRound + time.Duration(clients)*clientRound
	var requests, succeeded atomic.Int64
	var failed [600]atomic.Int64 // by status
	client := func(i int) error {
		for began := time.Now(); time.Since(began) < round; {
			requests.Add(1)
			a, err := c.send(i)
			if err != nil {
				return err
			}
			if status, ok := c.outcome(a); ok {
				succeeded.Add(1)
			} else {
				failed[status].Add(1)
			}
		}
		return nil
	}
	began := time.Now()
	for _, err := range fixture.Together(clients, client) {
		if err != nil {
			b.Fatal(err)
		}
	}
	figures := map[string]float64{"ns/op": 0, "succeeded/s": float64(succeeded.Load()) / time.Since(began).Seconds()}
	for status := range failed {
		if n := failed[status].Load(); n > 0 {
			figures[fmt.Sprintf("status-%d/op", status)] = float64(n) / float64(requests.Load())
		}
	}
	return figures
}

// outcome reports whether a request succeeded, and with which status.
func (c contender) outcome(a fixture.Answer) (status int, ok bool) {
	for _, fine := range append(c.fine, http.StatusOK) {
		if a.Status == fine && a.Body["status"] != "error" {
			return a.Status, true
		}
	}
	return a.Status, false
}

// contenders share a stack, and a portal in it.
type contenders struct {
	*fixture.Stack
	fixture.Tenant
	client http.Client
}

// newContenders starts a stack on a contended database. Its clients keep their connections, so that a new one does
// not count as contention.
func newContenders(b *testing.B, c *contention.Config) *contenders {
	b.Helper()
	stack := fixture.StartBootstraps(b, func(o *local.Options) { o.Contention = c })
	transport := &http.Transport{MaxIdleConnsPerHost: mostClients}
	return &contenders{stack, stack.NewTenant(b), http.Client{Transport: transport}}
}

func (s *contenders) all(b *testing.B) []contender {
	const unlimited = 1_000_000
	_, quota := s.NewMailKey(b, mailkey.Key{
		Name: "quota", Sender: mail.Address{Address: "desk@example.com"}, Daily: unlimited,
	})
	return []contender{
		s.creates("creates-one-parent", s.add(b, "parent")), s.creates("creates-one-agent", nil), s.members(b),
		s.mails("mails-quota", quota, false), s.mails("mails-quota-sent-once", quota, true),
		s.unrelated(b), s.related(b), s.reorders(b),
		s.links(b), s.passwords(), s.userCreates(), s.events(b), s.unsubscribes(),
	}
}

// creates are all below one parent, or all at the top.
func (s *contenders) creates(name string, parent any) contender {
	var serial atomic.Int64
	return contender{name: name, send: func(int) (fixture.Answer, error) {
		slug := fmt.Sprint(name, "-", serial.Add(1)) // contenders share a portal
		return s.category(fixture.To("createCategory", s.Portal), object{
			"name": slug, "slug": slug, "parent_category_id": parent,
		})
	}}
}

// members come and go in one portal, by one app. Each client has its own user.
func (s *contenders) members(b *testing.B) contender {
	s.Grant(b, s.App.ID, s.Portal.Account)
	users := s.newUsers(b, "member")
	header := fixture.Token(s.AppToken)
	var turns [mostClients]int
	return contender{name: "members", send: func(client int) (fixture.Answer, error) {
		turns[client]++
		if turns[client]%2 == 0 {
			return s.Try(&s.client, fixture.To("deleteMember", s.Portal, users[client].ID), header, nil)
		}
		return s.Try(&s.client, fixture.To("createMember", s.Portal), header, object{"user_id": users[client].ID})
	}}
}

// mails are all sent with one key.
func (s *contenders) mails(name, key string, once bool) contender {
	var serial atomic.Int64
	return contender{name: name, send: func(int) (fixture.Answer, error) {
		header := http.Header{}
		if once {
			header.Set("Idempotency-Key", fmt.Sprint("mail-", serial.Add(1)))
		}
		return s.Try(&s.client, fixture.To("sendMail"), header, object{
			"key": key, "recipients": []object{{"email": "ada@example.org"}}, "subject": "Hello", "text": "Hello",
		})
	}}
}

// unrelated moves do not share categories: each client has one category and two parents.
func (s *contenders) unrelated(b *testing.B) contender {
	var moved [mostClients]json.Number
	var parents [mostClients][2]json.Number
	for i := range mostClients {
		parents[i] = [2]json.Number{s.add(b, fmt.Sprint("from-", i)), s.add(b, fmt.Sprint("to-", i))}
		moved[i] = s.add(b, fmt.Sprint("moved-", i))
	}
	var moves [mostClients]int
	return contender{name: "moves-unrelated", send: func(client int) (fixture.Answer, error) {
		moves[client]++
		return s.category(fixture.To("updateCategory", s.Portal, moved[client]),
			object{"parent_category_id": parents[client][moves[client]%2]})
	}}
}

// related moves put any of eight categories under any other. Some are refused, because no category may be its
// own ancestor.
func (s *contenders) related(b *testing.B) contender {
	var ids [8]json.Number
	for i := range ids {
		ids[i] = s.add(b, fmt.Sprint("tree-", i))
	}
	var serial atomic.Int64
	return contender{name: "moves-related", fine: []int{http.StatusUnprocessableEntity},
		send: func(int) (fixture.Answer, error) {
			n := serial.Add(1)
			moved, parent := n%8, (n+1+n/8%7)%8
			to := fixture.To("updateCategory", s.Portal, ids[moved])
			return s.category(to, object{"parent_category_id": ids[parent]})
		}}
}

// reorders give new positions to all eight categories of one list.
func (s *contenders) reorders(b *testing.B) contender {
	var ids [8]json.Number
	for i := range ids {
		ids[i] = s.add(b, fmt.Sprint("place-", i))
	}
	var serial atomic.Int64
	return contender{name: "reorders-one-list", send: func(int) (fixture.Answer, error) {
		first, positions := int(serial.Add(1)), object{}
		for i, category := range ids {
			positions[category.String()] = first + i
		}
		return s.Try(&s.client, fixture.To("reorderCategories", s.Portal), fixture.Token(s.AgentToken),
			object{"positions_hash": positions})
	}}
}

// links are sign-ins by links of one app. Each client has its own user. The links are written into the table
// directly, without contention.
func (s *contenders) links(b *testing.B) contender {
	app, ok := credential.Parse(credential.PlatformApp, s.AppToken)
	if !ok {
		b.Fatal("the app's token is malformed")
	}
	users := s.newUsers(b, "link")
	return contender{name: "sign-ins-links-one-app", send: func(client int) (fixture.Answer, error) {
		u := users[client]
		token, digest := credential.Mint(credential.Login, u.ID)
		link := user.Login{
			Key: table.LoginToken(u.ID, digest), User: u.ID, Generation: u.Generation,
			App: s.App.ID, AppDigest: app.Digest[:], ExpiresAt: time.Now().Add(time.Minute),
		}
		if err := s.Table.Put(link).Run(b.Context()); err != nil {
			return fixture.Answer{}, err
		}
		return s.Try(&s.client, fixture.To("signIn"), nil, object{"email": u.Email, "sso_auth_token": token})
	}}
}

// passwords are sign-ins with one address.
func (s *contenders) passwords() contender {
	return contender{name: "sign-ins-one-address", send: func(int) (fixture.Answer, error) {
		return s.Try(&s.client, fixture.To("signIn"), nil,
			object{"email": s.Agent.Email, "password": fixture.Password})
	}}
}

// userCreates create users by one app, each with an address of its own.
func (s *contenders) userCreates() contender {
	var serial atomic.Int64
	return contender{name: "user-creates-one-app", send: func(int) (fixture.Answer, error) {
		return s.Try(&s.client, fixture.To("createUser"), fixture.Token(s.AppToken), object{
			"name": "Grace", "email": fmt.Sprintf("grace-%d@example.org", serial.Add(1)), "password": fixture.Password,
		})
	}}
}

// events are of mails of one key, each of another mail. An event that is not recorded counts as a failure of
// status 500.
func (s *contenders) events(b *testing.B) contender {
	var serial atomic.Int64
	return contender{name: "mail-events-one-key", send: func(int) (fixture.Answer, error) {
		event, err := json.Marshal(fixture.DeliveryEvent(s.MailKey.ID, fmt.Sprintf("0102-%d", serial.Add(1))))
		if err == nil {
			_, _, err = s.Lambda().Invoke(b.Context(), "RecordMailEventFunction", lambda.Event{Payload: event})
		}
		if err != nil {
			return fixture.Answer{Status: http.StatusInternalServerError}, nil
		}
		return fixture.Answer{Status: http.StatusOK}, nil
	}}
}

// unsubscribes are from the mails of one key, each by another recipient.
func (s *contenders) unsubscribes() contender {
	var serial atomic.Int64
	return contender{name: "unsubscribes-one-key", send: func(int) (fixture.Answer, error) {
		token, err := s.UnsubscribeToken(fmt.Sprintf("ada-%d@example.org", serial.Add(1)))
		if err != nil {
			return fixture.Answer{}, err
		}
		return s.Try(&s.client, fixture.To("createUnsubscribe", token), fixture.Form, "List-Unsubscribe=One-Click")
	}}
}

// newUsers makes users of the tenant's app, one for each client.
func (s *contenders) newUsers(b *testing.B, name string) (users [mostClients]user.User) {
	b.Helper()
	service := &user.Service{Table: s.Table, HashParams: fixture.CheapHash}
	for i := range users {
		d := user.Details{
			Name: "Ada", Email: fmt.Sprintf("%s-%d@example.org", name, i), Password: fixture.Password,
		}
		var err error
		if users[i], err = service.Create(b.Context(), s.App.ID, d); err != nil {
			b.Fatal(err)
		}
	}
	return users
}

func (s *contenders) add(b *testing.B, name string) json.Number {
	return json.Number(s.NewCategory(b, s.Portal, tree.Category{Name: name}).String())
}

func (s *contenders) category(to fixture.Target, fields object) (fixture.Answer, error) {
	return s.Try(&s.client, to, fixture.Token(s.AgentToken), object{"category": fields})
}
