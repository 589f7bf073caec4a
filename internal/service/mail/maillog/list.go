package maillog

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/mailkey"
)

const (
	// MaxLimit is the largest page of a list.
	MaxLimit = 100
	// DefaultLimit is the size of a page for a client that names none.
	DefaultLimit = 50
	// searched is how many entries of each partition a page with a filter reads. It bounds the cost of a filter that
	// matches little.
	searched = 1000
)

// ListFunction is the endpoint GET /mails.
func (s *Service) ListFunction() api.Function {
	decode := api.KnownParameters(s.decodeListQuery, "day", "status", "recipient")
	return api.Function{Handle: mailkey.Endpoint(mailkey.Keys{Table: s.Table}, decode, s.list)}
}

// list answers with the mails of a mail key, newest first.
func (s *Service) list(ctx context.Context, _ *api.Request, key mailkey.Key, q listQuery) (api.Response, error) {
	page, err := s.readPage(ctx, key.ID, q)
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: page}, nil
}

// listQuery is the query string of a list.
type listQuery struct {
	limit     int
	from, to  string // sort keys: the mails are between these
	before    string // the last sort key of the previous page; "" for the first page
	status    Status
	recipient string // in its normal form
}

func (s *Service) decodeListQuery(r *api.Request) (q listQuery, err error) {
	params := r.QueryStringParameters
	q = listQuery{
		from: sentFrom(s.oldest().Format(sortable)), to: sentFrom("~"), // "~" sorts after every time
		status: Status(params["status"]), recipient: normal(params["recipient"]),
	}
	q.limit, err = api.ParseLimit(params, DefaultLimit, MaxLimit)
	if err != nil {
		return q, err
	}
	if q.status != "" && !slices.Contains(severities, q.status) {
		return q, api.Errorf(api.Malformed,
			"status must be one of sent, delayed, delivered, bounced, complained, rejected, suppressed")
	}
	if text := params["day"]; text != "" {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return q, api.Errorf(api.Malformed, "day must be a date such as 2026-11-22")
		}
		q.from = max(q.from, sentFrom(text))
		q.to = sentFrom(day.AddDate(0, 0, 1).Format(time.DateOnly))
	}
	q.before, err = api.ParseCursor(params, parsePlace)
	if q.before != "" {
		q.to = min(q.to, q.before)
	}
	return q, err
}

// parsePlace reads a cursor, which is a [Mail.place], and returns the sort key.
func parsePlace(text string) (key string, ok bool) {
	at, mailID, _ := strings.Cut(text, "#")
	_, err := time.Parse(sortable, at)
	return sentFrom(text), err == nil && isMailID(mailID)
}

// sentFrom returns the sort key at which the mails of that time begin.
func sentFrom(order string) string { return table.SentMails + order }

// matches reports whether a mail passes the filters.
func (q listQuery) matches(m Mail) bool {
	return (q.status == "" || m.Status == q.status) &&
		(q.recipient == "" || slices.ContainsFunc(m.Recipients, func(r Recipient) bool {
			return strings.EqualFold(r.Email, q.recipient)
		}))
}

// perPart is how many entries of each partition are read for a page. Without a filter, it reads slightly more than its
// share, so that pages are rarely short: the mails of a page do not spread evenly over the partitions. With a filter it
// reads many, because few may match.
func (q listQuery) perPart() int {
	if q.status != "" || q.recipient != "" {
		return searched
	}
	// Plus one: the query reads the last entry of the previous page again.
	return min(q.limit, q.limit/logParts+q.limit/25+12) + 1
}

// entry is a mail in the log of its mail key.
type entry struct {
	table.Key
	From      string    `dynamo:"from"`
	Subject   string    `dynamo:"subject"`
	Outcomes  []string  `dynamo:"outcomes,set"`
	ExpiresAt time.Time `dynamo:"expires_at,unixtime"`

	Redirected bool `dynamo:"redirected,omitempty"`
}

// readPage reads a page of a log. It queries each partition once, all in parallel. If a partition has more entries,
// the merged order is only complete down to where that partition stopped, and the page ends there at the latest. So a
// page may be short, or empty if nothing matched, and still have a cursor to the next one.
func (s *Service) readPage(ctx context.Context, key id.ID, q listQuery) (page api.Page[Mail], err error) {
	page.Payload = []Mail{}
	if q.from > q.to {
		return page, nil
	}
	parts, ends := make([][]entry, logParts), make([]string, logParts)
	group, reading := api.NewGroupContext(ctx)
	for part := range logParts {
		group.Go(func() error {
			log := table.LoggedMail(key, part, "").PK
			var err error
			parts[part], ends[part], err = table.QueryNewest[entry](reading, s.Table, log, q.from, q.to, q.perPart())
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return page, err
	}
	entries, end := slices.Concat(parts...), slices.Max(ends)
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(b.SK, a.SK) })
	mails := page.Payload
	for _, e := range entries {
		if e.SK < end || len(mails) > q.limit {
			break
		}
		if m := e.mail(); e.SK != q.before && q.matches(m) {
			mails = append(mails, m)
		}
	}
	page.Payload, page.Meta.NextCursor = api.CutPage(mails, q.limit, Mail.place)
	if page.Meta.NextCursor == "" {
		page.Meta.NextCursor = api.Cursor(strings.TrimPrefix(end, table.SentMails))
	}
	return page, nil
}

// place is what a mail sorts by in a log: its time, and its id among mails of one millisecond.
func (m Mail) place() string { return m.SentAt.Format(sortable) + "#" + m.ID }

// mail converts an entry. Its recipients are sorted by address, because a set has no order.
func (e entry) mail() Mail {
	at, mailID, _ := strings.Cut(strings.TrimPrefix(e.SK, table.SentMails), "#")
	m := Mail{ID: mailID, From: e.From, Subject: e.Subject, Redirected: e.Redirected}
	m.SentAt, _ = time.Parse(sortable, at)
	happened := map[string][]Status{}
	for _, s := range e.Outcomes {
		outcome, to := splitOutcome(s)
		happened[to] = append(happened[to], outcome)
	}
	elsewhere := happened[""]
	delete(happened, "")
	for to, statuses := range happened {
		status := slices.MaxFunc(statuses, Status.compare)
		m.Recipients = append(m.Recipients, Recipient{Email: to, Status: status.shown()})
	}
	slices.SortFunc(m.Recipients, func(a, b Recipient) int { return cmp.Compare(a.Email, b.Email) })
	m.Status = mailStatus(m.Recipients, elsewhere)
	return m
}
