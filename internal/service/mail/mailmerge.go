package mail

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/placeholder"
)

// writeSeparate writes a mail in which each recipient gets his own message. Each message is written when delivery asks
// for it: 500 messages would not fit into memory.
func writeSeparate(start time.Time, m *Mail, t templates, got fetched) (composed, []string, error) {
	mm, err := m.mailMerge(t)
	if err != nil {
		return composed{}, nil, err
	}
	samples, warnings, err := mm.check()
	if err != nil {
		return composed{}, warnings, err
	}
	variants := make(map[parts]variant, len(samples))
	for _, s := range samples {
		mime, unclear, err := m.message(start, mm.given, s.texts, got)
		for _, w := range unclear { // messages that differ in their texts alone have the same files
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
		if rejected, ok := delivery.AsRejected(err); ok && len(samples) > 1 {
			err = delivery.Rejectf(rejected.Code, "for recipients[%d] %s", s.recipient, err)
		}
		if err != nil {
			return composed{}, warnings, err
		}
		mime.Boundary = compose.RandomBoundary()
		_, tail := mime.Split()
		variants[s.parts()] = variant{mime, delivery.NewTail(tail)}
	}
	var one sync.Mutex // to make a text of HTML may use all the time and memory that its bounds allow
	messages := func(i int, group delivery.Envelope) (delivery.Message, error) {
		one.Lock()
		defer one.Unlock()
		return mm.message(variants, i, group)
	}
	// The first message tells the size, and whether the mail is too large, before SES gets any message.
	sample, err := messages(0, delivery.Envelope{})
	return composed{messages: messages, size: sample.Size()}, warnings, err
}

// variant is a message for those recipients whose texts have the same parts. A text may be empty for some recipients:
// their messages have other MIME parts.
type variant struct {
	mime compose.Message
	tail delivery.Tail // of all messages of the variant: the files are encoded only once
}

// message writes the message of one recipient. The group has this recipient alone.
func (mm *mailMerge) message(variants map[parts]variant, i int, group delivery.Envelope) (delivery.Message, error) {
	// [mailMerge.check] has written the same texts. Keeping those of 500 recipients could take 1,000 MiB.
	filled, err := mm.write(i)
	if err != nil {
		return delivery.Message{}, err
	}
	v := variants[filled.parts()]
	mime := v.mime
	mime.To, mime.Subject, mime.Fields = mm.mail.Recipients[i:i+1], filled.subject, mm.mail.fieldsFor(i)
	if mm.html || mm.text {
		html, text, _, err := mm.mail.content(mm.given, filled)
		if err != nil {
			return delivery.Message{}, err
		}
		mime.HTML = html
		if mime.Text != nil { // all messages of a variant have a text or none, also where none can be made of the HTML
			mime.Text = cmp.Or(text, new(string))
		}
	}
	head, _ := redirected(mime, group).Split()
	whole := delivery.Message{Head: head, Tail: v.tail}
	return whole, checkSize(whole.Size())
}

// mailMerge is the mail merge of a mail: it holds the templates, and writes the texts of each recipient.
type mailMerge struct {
	mail      *Mail
	given     templates // of the request and its downloads
	prefilled templates // where all recipients get the same, placeholders are replaced already
	common    values
	limit     int // in bytes, of each text

	html, text bool // whether it differs from recipient to recipient
}

// mailMerge prepares the texts of a mail. What is the same for all is written once, here.
func (m *Mail) mailMerge(t templates) (*mailMerge, error) {
	common := m.values(m.Placeholders)
	alike, err := t.write(MaxSize, common)
	if err != nil {
		return nil, delivery.Rejectf(TooLarge, "%s", err)
	}
	prefill := func(template placeholder.Template, written string) placeholder.Template {
		if m.differs(template) {
			return template
		}
		// No names: a {NAME} that a value brought along stays as it is.
		return placeholder.Parse(written, nil)
	}
	mm := &mailMerge{
		mail:  m,
		given: t,
		prefilled: templates{
			prefill(t.subject, alike.subject), prefill(t.html, alike.html),
			prefill(t.text, alike.text),
		},
		common: common,
		limit:  MaxSize,
		html:   m.differs(t.html),
		text:   m.differs(t.text),
	}
	if mm.html || mm.text {
		mm.limit = maxDiffering
	}
	return mm, nil
}

// differs reports whether a text uses a placeholder of a recipient.
func (m *Mail) differs(t placeholder.Template) bool {
	for _, placeholders := range m.PerRecipient {
		if slices.ContainsFunc(placeholders, func(p Placeholder) bool { return t.Used[p.Name] }) {
			return true
		}
	}
	return false
}

// write returns the texts of the recipient with that index.
func (mm *mailMerge) write(i int) (texts, error) {
	filled, err := mm.prefilled.write(mm.limit, mm.common, mm.mail.values(mm.mail.PerRecipient[i]))
	if err != nil {
		return filled, delivery.Rejectf(TooLarge, "for recipients[%d] %s", i, err)
	}
	return filled, nil
}

// sample is the texts of the first recipient with one set of parts.
type sample struct {
	texts
	recipient int
}

// check checks the texts of every recipient before the first one is sent: an error halfway would leave a mail that
// some have and others never get. It returns one sample for each set of parts.
func (mm *mailMerge) check() (samples []sample, warnings []string, err error) {
	var untitled []int
	for i := range mm.mail.Recipients {
		filled, err := mm.write(i)
		if err != nil {
			return nil, nil, err
		}
		if err := cmp.Or(mm.checkText("html", filled.html), mm.checkText("text", filled.text)); err != nil {
			return nil, nil, err
		}
		if !slices.ContainsFunc(samples, func(s sample) bool { return s.parts() == filled.parts() }) {
			samples = append(samples, sample{filled, i})
		}
		if invisible.Blank(filled.subject) {
			untitled = append(untitled, i)
		}
	}
	switch {
	case len(untitled) == len(mm.mail.Recipients):
		warnings = append(warnings, noSubject)
	case len(untitled) > 0:
		warnings = append(warnings, noSubject+" for "+delivery.Indices("recipients", untitled))
	}
	return samples, append(warnings, mm.missing()...), nil
}

// checkText checks the size of one text of a recipient.
func (mm *mailMerge) checkText(name, text string) error {
	if len(text) > mm.limit {
		return delivery.Rejectf(TooLarge, "%s is over %d bytes: with separate in config it may have no "+
			"more where html or text has placeholders of recipients", name, mm.limit)
	}
	return nil
}

// missing warns of placeholders that have a value for some recipients and none for others.
func (mm *mailMerge) missing() (warnings []string) {
	for name, without := range placeholder.Gaps(len(mm.mail.PerRecipient), mm.needed) {
		if len(warnings) == maxListed {
			break
		}
		warnings = append(warnings, fmt.Sprintf("{%s} stays as it is for %s: they have no value for it",
			api.Brief(name), delivery.Indices("recipients", without)))
	}
	return warnings
}

// needed yields each recipient's index with the names of his own placeholders. It skips names that stand in no text
// and names that have a value for the whole mail: nobody lacks these.
func (mm *mailMerge) needed(yield func(recipient int, name string) bool) {
	for i, placeholders := range mm.mail.PerRecipient {
		for _, p := range placeholders {
			_, given := mm.common.inText[p.Name]
			if !given && mm.prefilled.uses(p.Name) && !yield(i, p.Name) {
				return
			}
		}
	}
}
