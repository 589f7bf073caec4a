package delivery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"pgregory.net/rapid"
)

// transitions are those of the table in record.go: what the next record may be, by what it is.
var transitions = map[state][]state{
	none:    {none, claimed, sending},
	claimed: {claimed, sending, done},
	sending: {sending, claimed, done},
	done:    {done},
}

// groupTransitions are those of one group, "" while it is pending.
var groupTransitions = map[string][]string{
	"":           {"", groupBegun, groupLeftOut},
	groupBegun:   {groupBegun, groupSent, ""},
	groupSent:    {groupSent},
	groupLeftOut: {groupLeftOut, ""},
}

// TestRequestsKeepToTheStates lets requests for one mail meet on a real table, in a time of their own. Before each call
// of the table or of SES the test chooses what becomes of it: it is answered; it, or its answer, is lost; it arrives
// late; its process dies before or after it; SES throttles or refuses. Whatever is chosen, the record takes no other
// way than that of the table, nobody gets the mail twice, and no answer says what is not so.
func TestRequestsKeepToTheStates(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack, number := localtest.Start(t), 0
		// A bubble's test has no Deadline, for which rapid would ask.
		rapid.Check(struct{ testing.TB }{t}, func(rt *rapid.T) {
			number++
			w := &world{
				stack: stack, name: fmt.Sprint("k", number), key: mailkey.Key{ID: id.ID(number)},
				groups:  rapid.IntRange(1, 6).Draw(rt, "groups"),
				fetches: rapid.Bool().Draw(rt, "fetches"),
				choices: rapid.SliceOfN(rapid.IntRange(0, 999), 40, 150).Draw(rt, "choices"),
				sent:    map[string]string{},
			}
			if rapid.Bool().Draw(rt, "quota") {
				w.key.Daily = 1000
			}
			w.separate = rapid.Bool().Draw(rt, "separate")
			w.run()
			if len(w.faults) > 0 {
				rt.Fatalf("%s\nafter\n%s", strings.Join(w.faults, "\n"), strings.Join(w.trace, "\n"))
			}
		})
	})
}

// world is one mail with all requests for it, the table and SES.
type world struct {
	stack *local.Stack
	name  string
	key   mailkey.Key

	groups            int
	separate, fetches bool
	choices           []int

	mu      sync.Mutex        // not held during a call of the table
	writes  int               // that have begun or ended
	record  record            // as it was read
	read    int               // how many writes there were before that
	waiting []*call           // calls of which nothing has become yet
	running int               // requests
	late    []func()          // writes that are under way, and whose process believes that they are lost
	sent    map[string]string // SES's ids, by recipient
	leaves  bool              // the last recipient of a separate mail has unsubscribed
	last    record            // as it was seen last
	final   string            // the first answer that is final
	faults  []string
	trace   []string
}

// choose takes the next choice among n; 0 when there are none left.
func (w *world) choose(n int) int {
	if len(w.choices) == 0 {
		return 0
	}
	choice := w.choices[0] % n
	w.choices = w.choices[1:]
	return choice
}

func (w *world) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}
func (w *world) note(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

// run chooses until the choices end. Then everything is answered, every late write arrives, and two more requests come.
func (w *world) run() {
	w.request()
	for len(w.choices) > 0 {
		synctest.Wait()
		w.look()
		switch what := w.choose(100); {
		case what < 65 && len(w.waiting) > 0:
			w.become(w.waiting[w.choose(len(w.waiting))], verdicts[w.choose(len(verdicts))])
		case what < 80 && w.running < 4:
			w.request()
		case what < 85 && len(w.late) > 0:
			w.arrive(w.choose(len(w.late)))
		case what < 87:
			w.leaves = true
		default:
			time.Sleep(time.Duration(w.choose(12_000)) * time.Millisecond)
		}
	}
	w.finish()
	for len(w.late) > 0 {
		w.arrive(0)
		w.look()
	}
	time.Sleep(time.Minute) // every lease has ended
	for range 2 {
		w.request()
		w.finish()
	}
	if w.final == "" {
		w.fault("the last request has no final answer")
	}
}

// finish answers everything until no request runs.
func (w *world) finish() {
	for {
		synctest.Wait()
		w.look()
		switch {
		case len(w.waiting) > 0:
			w.become(w.waiting[0], answered)
		case w.running > 0:
			time.Sleep(100 * time.Millisecond)
		default:
			return
		}
	}
}

// look compares the record with what it was.
func (w *world) look() {
	now := w.stored()
	if !slices.Contains(transitions[w.last.State], now.State) {
		w.fault("the record goes from %q to %q", w.last.State, now.State)
	}
	for i := range w.groups {
		was, is := w.last.Groups[groupName(i)].State, now.Groups[groupName(i)].State
		if !slices.Contains(groupTransitions[was], is) {
			w.fault("group %d goes from %q to %q", i, was, is)
		}
	}
	if now.Holder == w.last.Holder && now.Version < w.last.Version {
		w.fault("the version goes from %d to %d", w.last.Version, now.Version)
	}
	if w.last.State == done && !reflect.DeepEqual(now, w.last) {
		w.fault("a record that is done changes: %+v, was %+v", now, w.last)
	}
	w.last = now
}

func (w *world) at() table.Key { return RecordKey(w.key.ID, w.name) }

// stored returns the record as the table has it, past all faults.
func (w *world) stored() (r record) {
	w.mu.Lock()
	r, read, writes := w.record, w.read, w.writes
	w.mu.Unlock()
	if read == writes {
		return r
	}
	r = record{}
	items, err := w.table(w.stack.Operator().HTTPClient).Read(context.Background(), w.at())
	if err == nil {
		_, err = items.Get(w.at(), &r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.fault("read the record: %v", err)
	}
	w.record, w.read = r, writes
	return r
}

// wrote counts the begin or the end of a write.
func (w *world) wrote() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
}

// table opens the table, whose calls a client makes.
func (w *world) table(client aws.HTTPClient) table.Table {
	cfg := w.stack.Operator()
	cfg.HTTPClient = client
	return table.Open(cfg, w.stack.Environ()["TABLE_NAME"])
}

// request begins a request for the mail, as the handler does.
func (w *world) request() {
	w.running++
	ctx, cancel := context.WithTimeout(context.Background(), 28*time.Second)
	p := &process{world: w, end: cancel}
	go func() {
		defer cancel()
		o, answer := p.serve(ctx)
		now := w.stored()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.running--
		if !p.dead.Load() {
			p.judge(o, answer, now)
		}
	}()
}

// process serves one request. A dead one gets no further call through, and its answer counts for nothing.
type process struct {
	*world
	end  func()
	dead atomic.Bool
	// reached is how many recipients had the mail when the process wrote the record last. What others have sent since,
	// while it gave a reservation back, its answer need not say.
	reached int
}

func (p *process) serve(ctx context.Context) (o Outcome, replayed string) {
	start := time.Now()
	s := Service{Table: p.table(p), SES: &SES{client: sesv2.New(sesv2.Options{
		Region: "eu-west-1", HTTPClient: p, Retryer: pacing(),
		Credentials: aws.CredentialsProviderFunc(
			func(context.Context) (aws.Credentials, error) { return credentials, nil },
		),
	})}}
	items, err := s.Table.Read(ctx, p.at())
	if err != nil {
		return Outcome{Err: err}, ""
	}
	earlier, err := ReadEarlierRequests(items, p.at(), nil)
	if err == nil {
		replayed, err = earlier.Permits(start)
	}
	if err != nil || replayed != "" {
		return Outcome{Err: err}, replayed
	}
	e := Envelope{From: "a@example.com", Separate: p.separate}
	for i := range p.groups {
		size := groupSize
		if p.separate {
			size = 1
		}
		for n := range size {
			e.To = append(e.To, fmt.Sprintf("to%d-%d@example.org", i, n))
		}
	}
	if p.leaves && p.separate {
		e.LeftOut = []int{p.groups - 1}
	}
	return s.Deliver(ctx, Mail{Key: p.key, Start: start, Earlier: earlier, Envelope: e, Fetches: p.fetches},
		func(context.Context) (Messages, []string, error) {
			return func(int, Envelope) (Message, error) {
				return Message{Head: strings.NewReader("message")}, nil
			}, nil, nil
		}), ""
}

// judge holds an answer against what SES and the table have, and against the first final answer.
func (p *process) judge(o Outcome, replayed string, now record) {
	w := p.world
	if _, rejected := AsRejected(o.Err); o.Err != nil && !rejected {
		w.note("answer: %v", o.Err)
		if e, ok := errors.AsType[*api.Error](o.Err); !ok || e.Kind != api.Conflict && e.Kind != api.Unavailable {
			w.fault("answer %v", o.Err)
		}
		return
	}
	answer := o.Answer
	if replayed != "" {
		if err := json.Unmarshal([]byte(replayed), &answer); err != nil {
			w.fault("%q: %v", replayed, err)
		}
	}
	text, _ := api.Marshal(answer)
	w.note("answer: %s", text)
	isFinal := replayed != ""
	if now.State == done {
		isFinal = isFinal || now.Answer == string(text)
	}
	if isFinal {
		w.final = cmp.Or(w.final, string(text))
		if w.final != string(text) {
			w.fault("the final answer is %s, and was %s", text, w.final)
		}
	}
	known := slices.DeleteFunc(slices.Clone(answer.IDs), func(id string) bool { return id == "" })
	if answer.ID != "" {
		known = append(known, answer.ID)
	}
	for _, id := range known {
		if !slices.Contains(slices.Collect(maps.Values(w.sent)), id) {
			w.fault("SES has no mail %s", id)
		}
	}
	switch answer.Code {
	case "":
		if left := len(answer.Unsubscribed); len(w.recipientsReached())+left != w.groups {
			w.fault("success, and %d of %d groups have the mail", len(w.recipientsReached()), w.groups)
		}
	case SESUnavailable, SESRejected, Unsubscribed:
		if p.reached > 0 || isFinal && len(w.sent) > 0 {
			w.fault("the mail was not sent, by its answer, and SES has it")
		}
	}
}

// recipientsReached returns the groups that SES has, by SES's ids.
func (w *world) recipientsReached() map[string]bool {
	groups := map[string]bool{}
	for _, id := range w.sent {
		groups[id] = true
	}
	return groups
}

// verdict is what becomes of a call.
type verdict string

const (
	answered    verdict = "answered"
	lostBefore  verdict = "lost"
	lostAfter   verdict = "done, and its answer lost"
	late        verdict = "late"
	killBefore  verdict = "lost, and the process dies"
	killAfter   verdict = "done, and the process dies"
	throttle    verdict = "throttled"
	refuse      verdict = "refused"
	unreachable verdict = "not connected"
)

// verdicts are drawn from; most calls are answered.
var verdicts = slices.Concat(slices.Repeat([]verdict{answered}, 12),
	[]verdict{lostBefore, lostAfter, late, killBefore, killAfter, throttle, refuse, unreachable})

// call is a call that waits for what becomes of it.
type call struct {
	of      *process
	request *http.Request
	body    []byte
	action  string
	verdict chan verdict
}

// become lets a call go on.
func (w *world) become(c *call, v verdict) {
	w.mu.Lock()
	w.waiting = slices.DeleteFunc(w.waiting, func(other *call) bool { return other == c })
	w.mu.Unlock()
	w.note("%s: %s", c.action, v)
	c.verdict <- v
	w.settle()
}

// settle waits until a call of the table has its answer, and those who got it wait for something else.
func (w *world) settle() {
	time.Sleep(2 * httpserver.Latency)
	synctest.Wait()
}

// arrive does a late write.
func (w *world) arrive(i int) {
	w.note("a late write arrives")
	do := w.late[i]
	w.late = slices.Delete(w.late, i, i+1)
	do()
}

// Do is a call of the table or of SES.
func (p *process) Do(r *http.Request) (*http.Response, error) {
	c := &call{of: p, request: r, action: "SendEmail", verdict: make(chan verdict)}
	if _, action, isTable := strings.Cut(r.Header.Get("X-Amz-Target"), "."); isTable {
		c.action = action
	}
	var err error
	if r.Body != nil {
		c.body, err = io.ReadAll(r.Body)
	}
	if err != nil || p.dead.Load() {
		return nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	p.mu.Lock()
	p.waiting = append(p.waiting, c)
	p.mu.Unlock()
	select {
	case <-r.Context().Done():
		p.mu.Lock()
		p.waiting = slices.DeleteFunc(p.waiting, func(other *call) bool { return other == c })
		p.mu.Unlock()
		return nil, r.Context().Err()
	case v := <-c.verdict:
		return c.end(v)
	}
}

// end does what a verdict says, and returns the answer.
func (c *call) end(v verdict) (*http.Response, error) {
	p, ses := c.of, c.action == "SendEmail"
	trace := httptrace.ContextClientTrace(c.request.Context())
	if v != unreachable && trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	die := func() {
		p.dead.Store(true)
		p.end()
	}
	switch v {
	case late:
		if c.action != "BatchGetItem" {
			p.mu.Lock()
			p.late = append(p.late, func() { _, _ = c.do() })
			p.mu.Unlock()
		}
	case lostAfter:
		_, _ = c.do()
	case killAfter:
		_, _ = c.do()
		die()
	case killBefore:
		die()
	case throttle:
		if ses {
			return refusal(http.StatusTooManyRequests, "TooManyRequestsException"), nil
		}
		return refusal(http.StatusBadRequest, "ThrottlingException"), nil
	case refuse:
		if ses {
			return refusal(http.StatusBadRequest, "BadRequestException"), nil
		}
		return c.do()
	case answered:
		return c.do()
	}
	return nil, io.ErrUnexpectedEOF
}

func refusal(status int, code string) *http.Response {
	body := fmt.Sprintf(`{"__type":"com.amazonaws#%s","message":"Bad"}`, code)
	return &http.Response{
		StatusCode: status, Header: http.Header{"X-Amzn-Errortype": {code}},
		Body: io.NopCloser(strings.NewReader(body)),
	}
}

// do does a call: on the table, or here for SES.
func (c *call) do() (answer *http.Response, err error) {
	if c.action == "SendEmail" {
		return c.take(), nil
	}
	p := c.of
	if c.action != "BatchGetItem" {
		p.wrote()
		defer p.wrote()
	}
	r := c.request.Clone(context.Background())
	r.Body = io.NopCloser(bytes.NewReader(c.body))
	answer, err = p.stack.Operator().HTTPClient.Do(r)
	if err == nil && c.action == "PutItem" && answer.StatusCode == http.StatusOK {
		p.mu.Lock()
		p.reached = len(p.sent)
		p.mu.Unlock()
	}
	return answer, err
}

// take is SES, which takes a message. The record must say that it is asked for this group.
func (c *call) take() *http.Response {
	var in struct {
		Destination struct{ ToAddresses []string }
	}
	if err := json.Unmarshal(c.body, &in); err != nil {
		c.of.fault("a call of SES: %v", err)
	}
	now := c.of.stored()
	p := c.of
	p.mu.Lock()
	defer p.mu.Unlock()
	sesID := fmt.Sprintf("id%d", len(p.sent))
	for _, to := range in.Destination.ToAddresses {
		var group int
		_, _ = fmt.Sscanf(to, "to%d-", &group)
		if state := now.Groups[groupName(group)].State; state != groupBegun {
			p.fault("SES is asked for group %d, whose state is %q", group, state)
		}
		if p.sent[to] != "" {
			p.fault("%s gets the mail twice", to)
		}
		p.sent[to] = sesID
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"MessageId":%q}`, sesID))),
	}
}
