package mail

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/rejection"
)

// fetched is what a mail's sources and attachments gave. An empty string is content that is not there.
type fetched struct {
	html, text string
	files      []compose.File
}

// fetch downloads all that a mail needs side by side, and puts what came with it in its place. The warnings tell
// what was left out or replaced; the error is a [rejection.Error], and the first one ends the other downloads.
func (d *Downloader) fetch(ctx context.Context, m *Message) (got fetched, warnings []string, err error) {
	group, ctx := api.NewGroupContext(ctx)
	group.SetLimit(downloadsAtOnce)
	spent := newBudget(MaxSize - m.inlineBytes())

	files := make([]*compose.File, len(m.Attachments))
	warned := make([]string, 2+len(m.Attachments)) // in the order of the fields, whichever ends first
	group.Go(func() (err error) {
		got.html, warned[0], err = d.source(ctx, "html", m.HTML, m.on(URLBeforeString), spent)
		return err
	})
	group.Go(func() (err error) {
		got.text, warned[1], err = d.source(ctx, "text", m.Text, m.on(URLBeforeString), spent)
		return err
	})
	for i, a := range m.Attachments {
		if a.inline() {
			files[i] = a.file()
			continue
		}
		group.Go(func() (err error) {
			files[i], warned[2+i], err = d.attachment(ctx, fmt.Sprintf("attachments[%d]", i), a, m.on(IgnoreDLFails), spent)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fetched{}, nil, err
	}
	for _, f := range files {
		if f != nil {
			got.files = append(got.files, *f)
		}
	}
	for _, w := range warned {
		if w != "" {
			warnings = append(warnings, w)
		}
	}
	return got, warnings, nil
}

// source is the text of one kind of content. Where the URL comes first and gives nothing, the string is
// used, with a warning.
func (d *Downloader) source(ctx context.Context, field string, s Source, urlFirst bool, spent *budget) (text, warning string, err error) {
	url := s.fetched(urlFirst)
	if url == "" {
		return s.String, "", nil
	}
	f, err := d.get(ctx, url, spent)
	if err == nil {
		text, err = utf8Text(f)
	}
	switch {
	case errors.Is(err, errTooLarge), err != nil && blank(s.String):
		return "", "", rejection.Errorf("%surl %s", field, err)
	case err != nil:
		return s.String, fmt.Sprintf("%surl %s; %s is used instead", field, err, field), nil
	case blank(text) && !blank(s.String):
		return s.String, fmt.Sprintf("%surl is empty; %s is used instead", field, field), nil
	}
	return text, "", nil
}

// attachment is one attachment, or nil and a warning where a failed download is left out.
func (d *Downloader) attachment(ctx context.Context, field string, a Attachment, leaveOut bool, spent *budget) (got *compose.File, warning string, err error) {
	f, err := d.get(ctx, a.URL, spent)
	switch {
	case err == nil:
	case leaveOut && !errors.Is(err, errTooLarge):
		return nil, fmt.Sprintf("%s is left out: its url %s", field, err), nil
	default:
		return nil, "", rejection.Errorf("%s.url %s", field, err)
	}
	contentType := typeOf(f.contentType, []string{a.Filename, dispositionName(f.disposition), urlName(a.URL)}, f.body)
	return &compose.File{Name: filename(a, f, contentType), ContentType: contentType, CID: a.CID, Body: f.body}, "", nil
}
