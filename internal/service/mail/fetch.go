package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/fetch"
	"frontdesk/internal/service/mail/relativeurl"
)

// fetched is the content of a mail: its texts and its files. An empty text is one that the mail does not have.
type fetched struct {
	html, text string
	invitation *compose.Calendar // nil for none
	files      []compose.File
}

const (
	// fetchWithin ends all downloads, counted from the start of the request. SES is asked until second 20, see package
	// delivery, so at least five seconds are left for it.
	fetchWithin = 15 * time.Second
	// fetchTime is the least time for downloads. If the table has left less, fetch tries none. Otherwise the answer
	// blames the download for the table's delay.
	fetchTime = time.Second
)

// errNoTimeToFetch is an outage of ours, not a fault of the URL. The client may send the mail again.
var errNoTimeToFetch = api.Errorf(api.Unavailable, "Not available at the moment, please try again")

// fetch gets the texts and files of a mail. It downloads them in parallel, or takes what came with the request.
// Warnings say what was left out or replaced.
//
// The first error ends the other downloads. It is a rejection, or of kind [api.Unavailable] if there was no time.
func (s *Service) fetch(ctx context.Context, start time.Time, m *Mail) (fetched, []string, error) {
	ctx, cancel := context.WithDeadline(ctx, start.Add(fetchWithin))
	defer cancel()
	if deadline, _ := ctx.Deadline(); m.fetches() && time.Until(deadline) < fetchTime {
		return fetched{}, nil, errNoTimeToFetch
	}
	group, ctx := api.NewGroupContext(ctx)
	group.SetLimit(fetch.AtOnce)
	budget := fetch.NewBudget(MaxSize - m.inlineBytes()) // never negative: inline files fit into MaxBody

	// Each download writes its own variable or place of a slice, so they need no lock. The files keep the order of the
	// request; nil marks one that was left out.
	var html, text string
	files := make([]*compose.File, len(m.Attachments))
	// One slot a field: so the order does not depend on which download ends first.
	warnings := make([][]string, 2+len(m.Attachments))
	group.Go(func() (err error) {
		html, warnings[0], err = s.source(ctx, "html", m.HTML, m.on(URLBeforeString))
		return err
	})
	group.Go(func() (err error) {
		text, warnings[1], err = s.source(ctx, "text", m.Text, m.on(URLBeforeString))
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
	return got, append(slices.Concat(warnings...), unclear...), nil
}

// source gets one text, of at most [MaxText] bytes. If the URL comes first and fails or gives nothing, source uses the
// string and warns. A text that is too large is an error all the same.
func (s *Service) source(ctx context.Context, field string, from Source, urlFirst bool) (
	text string, warnings []string, err error,
) {
	url := from.urlToFetch(urlFirst)
	if url == "" {
		return from.String, nil, nil
	}
	f, err := s.Downloader.Get(ctx, url, fetch.NewBudget(MaxText))
	if err == nil {
		text, warnings, err = readText(field, f)
	}
	switch {
	case errors.Is(err, fetch.ErrOverBudget):
		return "", nil, delivery.Rejectf(TooLarge,
			"%surl is too large: a text has at most %d bytes, as it comes and in UTF-8", field, MaxText)
	case errors.Is(err, relativeurl.ErrTooLarge):
		return "", nil, delivery.Rejectf(TooLarge,
			"%surl is too large: with its relative addresses resolved it has over %d bytes", field, MaxText)
	case err != nil && blank(from.String):
		return "", nil, delivery.Rejectf(DownloadFailed, "%surl %s", field, err)
	case err != nil:
		return from.String, []string{fmt.Sprintf("%surl %s; %s is used instead", field, err, field)}, nil
	case blank(text) && !blank(from.String):
		return from.String, []string{fmt.Sprintf("%surl is empty; %s is used instead", field, field)}, nil
	case blank(text):
		return "", []string{field + "url is empty"}, nil
	}
	return text, warnings, nil
}

// attachment downloads one attachment. With leaveOut a failed download gives nil and a warning.
func (s *Service) attachment(ctx context.Context, field string, a Attachment, leaveOut bool, budget *fetch.Budget) (
	file *compose.File, warnings []string, err error,
) {
	f, err := s.Downloader.Get(ctx, a.URL, budget)
	switch {
	case err == nil:
	case errors.Is(err, fetch.ErrOverBudget):
		// An error also with ignoredlfails: which file is left out would depend on the order in which downloads arrive.
		return nil, nil, delivery.Rejectf(TooLarge, "%s.url is too large: "+
			"all downloads and attachments of a mail together may have at most %d bytes", field, MaxSize)
	case leaveOut:
		return nil, []string{fmt.Sprintf("%s is left out: its url %s", field, err)}, nil
	default:
		return nil, nil, delivery.Rejectf(DownloadFailed, "%s.url %s", field, err)
	}
	file = a.file(f)
	if served := f.ComesAs(file.Name); served != "" {
		warnings = []string{fmt.Sprintf("%s is named %q and comes as %s: its server may have answered an error",
			field, api.Brief(file.Name), served)}
	}
	return file, warnings, nil
}
