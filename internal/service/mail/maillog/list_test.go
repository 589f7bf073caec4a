package maillog_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/maillog"
)

// walk reads a list to its end, and gives the ids of its mails. No page may have more than limit.
func (s *stack) walk(t testing.TB, query url.Values, limit int) (ids []string, pages int) {
	t.Helper()
	query = url.Values(http.Header(query).Clone())
	if query == nil {
		query = url.Values{}
	}
	for {
		query.Set("limit", fmt.Sprint(limit))
		a, p := s.list(t, s.key, "?"+query.Encode())
		if a.Status != http.StatusOK || len(p.Payload) > limit {
			t.Fatal(errorf(a))
		}
		expect.Equal(t, s.Actions(a), []string{"BatchGetItem", "Query", "Query", "Query", "Query"}, "what a page took")
		for _, m := range p.Payload {
			ids = append(ids, m.ID)
		}
		if pages++; p.Meta.NextCursor == "" {
			return ids, pages
		}
		query.Set("cursor", p.Meta.NextCursor)
	}
}

// TestList: a key's mails come newest first on pages of any size, and a filter shows only what matches.
func TestList(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		other, _ := s.newKey(t)
		today := time.Now().UTC().Truncate(24 * time.Hour)
		yesterday := today.AddDate(0, 0, -1)
		var all, bounced, toBen, ofYesterday []string // newest first
		for i := range 60 {
			// The mails go to the four partitions in turn. Ids alone put 28 of 60 into one of them once in a thousand
			// runs, and then the first page ends early.
			m := s.sent(ada)
			for maillog.LogPart(m.id) != i%maillog.LogParts {
				m = s.sent(ada)
			}
			m.at = yesterday.Add(23*time.Hour + time.Duration(i)*time.Minute + 30*time.Second)
			if i%7 == 0 {
				m.at = m.at.Truncate(time.Hour) // several at one moment
			}
			if i%4 == 0 {
				m.to = []string{"Ben@example.org", "ben@xn--bro-hoa.example", ada}
				toBen = append(toBen, m.id)
			}
			s.record(t, m.send())
			if i%3 == 0 {
				s.record(t, m.bounce(1, "Permanent", "General", unknown, ada))
				bounced = append(bounced, m.id)
			}
			if m.at.Before(today) {
				ofYesterday = append(ofYesterday, m.id)
			}
			all = append(all, m.at.Format(time.RFC3339)+m.id)
			if i%6 == 0 {
				foreign := s.sent(ada)
				foreign.key = other.String()
				s.record(t, foreign.send())
			}
		}
		slices.Sort(all)
		slices.Reverse(all)
		for i := range all {
			all[i] = all[i][len(time.RFC3339)-5:]
		}
		// only are those of some mails, in the order of all.
		only := func(some []string) (list []string) {
			for _, id := range all {
				if slices.Contains(some, id) {
					list = append(list, id)
				}
			}
			return list
		}
		for name, c := range map[string]struct {
			query url.Values
			want  []string
		}{
			"all":                {nil, all},
			"of a day":           {url.Values{"day": {yesterday.Format(time.DateOnly)}}, only(ofYesterday)},
			"of another day":     {url.Values{"day": {yesterday.AddDate(0, 0, -1).Format(time.DateOnly)}}, nil},
			"of a status":        {url.Values{"status": {"bounced"}}, only(bounced)},
			"of no mail's":       {url.Values{"status": {"rejected"}}, nil},
			"to a recipient":     {url.Values{"recipient": {"ben@example.org"}}, only(toBen)},
			"to one in a script": {url.Values{"recipient": {"BEN@büro.example"}}, only(toBen)},
			"to nobody":          {url.Values{"recipient": {"example.org"}}, nil},
			"empty parameters":   {url.Values{"day": {""}, "status": {""}, "recipient": {""}, "cursor": {""}}, all},
		} {
			limits := []int{100, 7}
			if len(c.want) < len(all)/2 {
				limits = append(limits, 1)
			}
			for _, limit := range limits {
				localtest.Case(t, fmt.Sprintf("%s by %d", name, limit), func(t testing.TB) {
					if got, _ := s.walk(t, c.query, limit); !slices.Equal(got, c.want) {
						t.Errorf("%q\n want %q", got, c.want)
					}
				})
			}
		}
		localtest.Case(t, "a page as long as may be", func(t testing.TB) {
			if _, p := s.list(t, s.key, ""); len(p.Payload) != maillog.DefaultLimit {
				t.Errorf("it has %d mails", len(p.Payload))
			}
		})
		localtest.Case(t, "a day before the log", func(t testing.TB) {
			a, p := s.list(t, s.key, "?day=2020-02-29")
			a.Is(t, 200, nil)
			expect.Equal(t, len(p.Payload), 0)
			expect.Equal(t, len(s.Actions(a)), 1)
		})
	})
}

// TestListsThatAreRefused: a bad parameter is 400, and the answer names the rule. An empty list would hide
// the mistake.
func TestListsThatAreRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		cursor := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
		const statuses = "status must be one of sent, delayed, delivered, bounced, complained, rejected, " +
			"suppressed"
		for name, c := range map[string]struct{ query, want string }{
			"limit of none":        {"?limit=0", "limit must be an integer from 1 to 100"},
			"limit too large":      {"?limit=101", "limit must be an integer from 1 to 100"},
			"day that is none":     {"?day=2026-02-30", "day must be a date such as 2026-11-22"},
			"day and time":         {"?day=2026-02-03T00:00:00Z", "day must be a date such as 2026-11-22"},
			"status that is none":  {"?status=opened", statuses},
			"status of our own":    {"?status=answered", statuses},
			"cursor, not base64":   {"?cursor=%21", api.ErrCursor.Message},
			"cursor without an id": {"?cursor=" + cursor("2026-11-22T10:00:00.000Z"), api.ErrCursor.Message},
			"cursor without time":  {"?cursor=" + cursor("x#0100"), api.ErrCursor.Message},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				if a := s.Call(t, fixture.To("listMails").Query(c.query), fixture.Token(s.key), nil); a.Status != 400 ||
					a.Body["message"] != c.want {
					t.Errorf("%s, want %s", errorf(a), c.want)
				}
			})
		}
	})
}

// TestCostOfAPage: a page of 50 costs the same among 4,200 mails of a day as among 100. A page with a filter reads up
// to 4,000 entries.
func TestCostOfAPage(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t, fixture.WithoutFunctions(t))
		day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
		fill := func(from, to int) {
			var items []any
			for i := from; i < to; i++ {
				m := s.sent(ada)
				m.id = fmt.Sprintf("0100019a2b3c4d5e-%08d-000000", i) // of the same digest each time
				m.at = day.Add(time.Duration(i) * 8 * time.Second)
				if i == 2500 {
					m.to = []string{ben}
				}
				text, _ := json.Marshal(m.delivery(1, m.to...))
				items = append(items, maillog.EntryOf(text, time.Now().Add(time.Hour)))
			}
			s.Put(t, items...)
		}
		page := func(query map[string]string) (calls int, units float64, mails int, next string) {
			service, took := s.metered()
			status, body := call(t, service.ListFunction(), s.key, "", query)
			var p struct {
				Payload []struct{}
				Meta    struct {
					NextCursor string `json:"next_cursor"`
				}
			}
			if err := json.Unmarshal([]byte(body), &p); err != nil || status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			return took.Calls, took.Units, len(p.Payload), p.Meta.NextCursor
		}
		query := map[string]string{"limit": "50", "day": day.Format(time.DateOnly)}
		fill(0, 100)
		calls, among100, mails, _ := page(query)
		expect.Equal(t, calls, 5, "among 100")
		expect.Equal(t, mails, 50, "among 100")
		fill(100, 4_200)
		calls, among4200, mails, _ := page(query)
		t.Logf("a page of 50 took %v units among 100, %v among 4,200", among100, among4200)
		expect.Equal(t, calls, 5, "among 4,200")
		expect.Equal(t, mails, 50, "among 4,200")
		expect.Equal(t, among4200, among100, "among 4,200")
		expect.AtMost(t, among4200, 6, "among 4,200")
		for name, filter := range map[string]map[string]string{
			"recipient": {"recipient": ben}, "status": {"status": "bounced"},
		} {
			localtest.Case(t, "by "+name, func(t testing.TB) {
				found, pages, next := 0, 0, ""
				for {
					q := map[string]string{"limit": "50", "day": query["day"], "cursor": next}
					for k, v := range filter {
						q[k] = v
					}
					calls, units, mails, after := page(q)
					t.Logf("page %d took %d calls, %v units", pages, calls, units)
					expect.Equal(t, calls, 5)
					expect.AtMost(t, units, 250)
					found, next = found+mails, after
					if pages++; next == "" {
						break
					}
				}
				want := strings.Count(name, "recipient")
				expect.Equal(t, found, want)
				expect.AtMost(t, pages, 4)
			})
		}
	})
}

// TestAPageOfExpiredMailsLeadsOn: mails that were recorded while they were kept for a shorter time expire before older
// ones. A page that reads nothing else is empty and has a cursor.
func TestAPageOfExpiredMailsLeadsOn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		var want []string
		for i := range 80 {
			m := s.sent(ada)
			for maillog.LogPart(m.id) != 0 {
				m = s.sent(ada)
			}
			m.at = m.at.Add(-time.Duration(i) * time.Minute)
			event := m.send()
			if i < 60 { // the newest
				text, err := json.Marshal(event)
				if err != nil {
					t.Fatal(err)
				}
				entry := maillog.EntryOf(text, time.Now().Add(-time.Second))
				if err := s.Table.Put(entry).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			s.record(t, event)
			want = append(want, m.id)
		}
		ids, pages := s.walk(t, nil, 10)
		expect.Equal(t, ids, want, "mails")
		expect.AtLeast(t, pages, 3)
	})
}
