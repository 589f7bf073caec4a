package maillog

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
)

const (
	// MaxLimit is the largest page of a list.
	MaxLimit = 100
	// DefaultLimit is the page that a client gets that asks for none.
	DefaultLimit = 50
	// searched is how many entries of each partition a page looks at that is to have certain ones alone.
	searched = 1000
)

// ListFunction is the endpoint GET /mails.
func (s *Service) ListFunction() api.Function {
	return api.Function{Handle: mailkey.Endpoint(mailkey.Keys{Table: s.Table}, s.decodeListQuery, s.list)}
}

// list answers the mails of a mail key, the newest first.
func (s *Service) list(ctx context.Context, _ *api.Request, key mailkey.Key, q listQuery) (api.Response, error) {
	page, err := s.readPage(ctx, key.ID, q)
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: page}, nil
}

// listQuery is what the query string of a list asks for.
type listQuery struct {
	limit     int
	from, to  string // sort keys that the mails are between
	before    string // the sort key that the page before ended with; "" for the beginning
	status    Status
	recipient string // in its normal form
}

func (s *Service) decodeListQuery(r *api.Request) (q listQuery, err error) {
	params := r.QueryStringParameters
	q = listQuery{
		from: sentFrom(s.oldest().Format(sortable)), to: sentFrom("~"), // behind every time
		status: Status(params["status"]), recipient: normal(params["recipient"]),
	}
	q.limit, err = api.ParseLimit(params, DefaultLimit, MaxLimit)
	if err != nil {
		return q, err
	}
	if q.status != "" && !slices.Contains(severities, q.status) {
		return q, api.Errorf(api.Malformed,
			"status must be one of sent, delayed, delivered, bounced, complained, rejected, suppressed, unsubscribed")
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

// parsePlace reads the sort key of a mail from a cursor, which has what [Mail.place] gives.
func parsePlace(text string) (key string, ok bool) {
	at, mailID, _ := strings.Cut(text, "#")
	_, err := time.Parse(sortable, at)
	return sentFrom(text), err == nil && isMailID(mailID)
}

// sentFrom is the sort key from which on those mails are that were sent then.
func sentFrom(order string) string { return table.SentMails + order }

// wants reports whether a mail is one that is asked for.
func (q listQuery) wants(m Mail) bool {
	return (q.status == "" || m.Status == q.status) &&
		(q.recipient == "" || slices.ContainsFunc(m.Recipients, func(r Recipient) bool {
			return strings.EqualFold(r.Email, q.recipient)
		}))
}

// each is how many entries of each partition are read for a page: about as many more than its share that a page is
// seldom shorter than it may be, and many where most will not be wanted.
func (q listQuery) each() int {
	if q.status != "" || q.recipient != "" {
		return searched
	}
	return min(q.limit, q.limit/logParts+q.limit/25+12) + 1 // the one that the page before ended with is read along
}

// entry is a mail as it stands in the log of its mail key.
type entry struct {
	table.Key
	From      string    `dynamo:"from"`
	Subject   string    `dynamo:"subject"`
	Outcomes  []string  `dynamo:"outcomes,set"`
	ExpiresAt time.Time `dynamo:"expires_at,unixtime"`

	Redirected bool `dynamo:"redirected,omitempty"`
}

// readPage reads a page of a log. It asks all partitions side by side, each once. What they give is in order down to
// where the first of them ended that has more: there a page ends, if not before, and so it may have fewer mails than it
// may, or none where no entry that was looked at is wanted, and be followed by others.
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
			entries, more, err := table.QueryNewest[entry](reading, s.Table, log, q.from, q.to, q.each())
			parts[part] = entries
			if more && len(entries) > 0 {
				ends[part] = entries[len(entries)-1].SK
			}
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
		if m := e.mail(); e.SK != q.before && q.wants(m) {
			mails = append(mails, m)
		}
	}
	page.Payload, page.Meta.NextCursor = api.CutPage(mails, q.limit, Mail.place)
	if page.Meta.NextCursor == "" {
		page.Meta.NextCursor = api.Cursor(strings.TrimPrefix(end, table.SentMails))
	}
	return page, nil
}

// place is what a mail sorts by in a log.
func (m Mail) place() string { return m.SentAt.Format(sortable) + "#" + m.ID }

// mail is the mail that an entry is of, its recipients by their addresses.
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
		m.Recipients = append(m.Recipients, Recipient{Email: to, Status: status.told()})
	}
	slices.SortFunc(m.Recipients, func(a, b Recipient) int { return cmp.Compare(a.Email, b.Email) })
	m.Status = worst(m.Recipients, elsewhere)
	return m
}
