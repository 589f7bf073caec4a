package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/fetch"
	"frontdesk/internal/mail/rejection"
)

// fetched is what a mail's sources and attachments gave. An empty string is content that is not there.
type fetched struct {
	html, text string
	invitation *compose.Calendar // nil for none
	files      []compose.File
}

const (
	// fetchWithin is the time from a request's start until which downloads may take.
	fetchWithin = 15 * time.Second
	// fetchTime is the least that they are given. Where the table has left them less, none is tried: it would be said
	// to take too long for what it did not take.
	fetchTime = time.Second
)

var errNoTimeToFetch = api.Errorf(api.Unavailable, "Not available at the moment, please try again")

// fetch gets the texts and files of a mail: it downloads them side by side, or takes what came with the request.
// Warnings tell what was left out or replaced. An error is a [rejection.Error], of which the first one ends the other
// downloads, or of kind [api.Unavailable].
func (s *Service) fetch(ctx context.Context, start time.Time, m *Mail) (fetched, []string, error) {
	ctx, cancel := context.WithDeadline(ctx, start.Add(fetchWithin))
	defer cancel()
	if deadline, _ := ctx.Deadline(); m.fetches() && time.Until(deadline) < fetchTime {
		return fetched{}, nil, errNoTimeToFetch
	}
	group, ctx := api.NewGroupContext(ctx)
	group.SetLimit(fetch.AtOnce)
	budget := fetch.NewBudget(MaxSize - m.inlineBytes())

	var html, text string
	files := make([]*compose.File, len(m.Attachments))
	warnings := make([]string, 2+len(m.Attachments)) // in the order of the fields, whichever ends first
	group.Go(func() (err error) {
		html, warnings[0], err = s.source(ctx, "html", m.HTML, m.on(URLBeforeString), budget)
		return err
	})
	group.Go(func() (err error) {
		text, warnings[1], err = s.source(ctx, "text", m.Text, m.on(URLBeforeString), budget)
		return err
	})
	for i, a := range m.Attachments {
		if a.inline() {
			files[i] = a.file(fetch.File{Body: a.Content})
			continue
		}
		group.Go(func() (err error) {
			field := fmt.Sprintf("attachments[%d]", i)
			files[i], warnings[2+i], err = s.attachment(ctx, field, a, m.on(IgnoreDLFails), budget)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fetched{}, nil, err
	}
	invitation, unclear := invite(files)
	got := fetched{html: html, text: text, invitation: invitation}
	for _, f := range files {
		if f != nil {
			got.files = append(got.files, *f)
		}
	}
	warnings = slices.DeleteFunc(warnings, func(w string) bool { return w == "" })
	return got, append(warnings, unclear...), nil
}

// source gives the text of one kind of content. Where the URL comes first and gives nothing, the string is used, with
// a warning.
func (s *Service) source(ctx context.Context, field string, from Source, urlFirst bool, budget *fetch.Budget) (
	text, warning string, err error,
) {
	url := from.urlToFetch(urlFirst)
	if url == "" {
		return from.String, "", nil
	}
	f, err := s.Downloader.Get(ctx, url, budget)
	if err == nil {
		text, err = f.Text()
	}
	switch {
	case errors.Is(err, fetch.ErrOverBudget):
		return "", "", tooLarge(field + "url")
	case err != nil && blank(from.String):
		return "", "", rejection.Errorf(rejection.DownloadFailed, "%surl %s", field, err)
	case err != nil:
		return from.String, fmt.Sprintf("%surl %s; %s is used instead", field, err, field), nil
	case blank(text) && !blank(from.String):
		return from.String, fmt.Sprintf("%surl is empty; %s is used instead", field, field), nil
	}
	return text, "", nil
}

// attachment fetches one attachment. It gives nil and a warning where a failed download is left out.
func (s *Service) attachment(ctx context.Context, field string, a Attachment, leaveOut bool, budget *fetch.Budget) (
	file *compose.File, warning string, err error,
) {
	f, err := s.Downloader.Get(ctx, a.URL, budget)
	switch {
	case err == nil:
	case errors.Is(err, fetch.ErrOverBudget):
		return nil, "", tooLarge(field + ".url")
	case leaveOut:
		return nil, fmt.Sprintf("%s is left out: its url %s", field, err), nil
	default:
		return nil, "", rejection.Errorf(rejection.DownloadFailed, "%s.url %s", field, err)
	}
	return a.file(f), "", nil
}

// tooLarge is the error of a mail whose files have more bytes than it may have. It is one even where failed downloads
// are left out.
func tooLarge(field string) error {
	return rejection.Errorf(rejection.TooLarge, "%s is too large: "+
		"all downloads and attachments of a mail together may have at most %d bytes", field, MaxSize)
}
