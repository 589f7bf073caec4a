package mail

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/placeholder"
	"frontdesk/internal/mail/plaintext"
	"frontdesk/internal/mail/rejection"
	"frontdesk/internal/visible"
)

// writeSeries writes a mail in which each recipient gets his own message. It writes the common part now, and each
// message when delivery asks for it: 500 messages would not fit into memory.
//
// A text may be empty for some recipients. Their messages have other MIME parts, so each set of parts is a series of
// its own.
func writeSeries(start time.Time, m *Mail, t templates, got fetched) (written, []string, error) {
	l, err := m.letters(t)
	if err != nil {
		return written{}, nil, err
	}
	samples, warnings, err := l.check()
	if err != nil {
		return written{}, warnings, err
	}
	all := make(map[parts]series, len(samples))
	for _, first := range samples {
		// The files are cloned: each series removes the Content-IDs that its own HTML does not refer to.
		s, unconverted, err := l.series(start, first.texts, got.invitation, slices.Clone(got.files))
		for _, w := range unconverted { // series that differ in their texts alone have the same files
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
		if rejected, ok := errors.AsType[*rejection.Error](err); ok && len(samples) > 1 {
			err = rejection.Errorf(rejected.Code, "for recipients[%d] %s", first.recipient, err)
		}
		if err != nil {
			return written{}, warnings, err
		}
		all[first.parts()] = s
	}
	message := func(i int, group delivery.Envelope) (delivery.Message, error) {
		// [letters.check] has written the same texts. Keeping those of 500 recipients could take 1,000 MiB.
		said, err := l.write(i)
		if err != nil {
			return delivery.Message{}, err
		}
		whole := all[said.parts()].message(l, i, group, said)
		return whole, checkSize(whole.Size())
	}
	// The first message tells the size, and whether the mail is too large, before SES gets any message.
	sample, err := message(0, delivery.Envelope{})
	if err != nil {
		return written{}, warnings, err
	}
	return written{messages: message, size: sample.Size()}, warnings, nil
}

// series writes the messages of those recipients whose mails have the same parts.
type series struct {
	heads     *compose.Series
	tail      delivery.Tail
	converter *plaintext.Converter // nil unless plain text is made of HTML that differs
}

// series begins a series, given the texts of the first recipient who needs it.
func (l *letters) series(start time.Time, first texts, invitation *compose.Calendar, files []compose.File) (
	series, []string, error,
) {
	mime, warnings, err := l.mail.message(start, l.given, first, invitation, files)
	if err != nil {
		return series{}, warnings, err
	}
	given := first.parts()
	var s series
	// A plain text that the mail did not give was made from the HTML. If the HTML differs, so does that text.
	if l.html && mime.Text != nil && !given.text {
		s.converter = plaintext.NewConverter(l.says.html, l.mail.on(EscapePlaceholders))
	}
	heads, tail := compose.NewSeries(mime, l.html, l.text && given.text || s.converter != nil)
	s.heads, s.tail = heads, delivery.NewTail(tail)
	return s, warnings, nil
}

// message writes the message of one recipient, given its texts. The group has this recipient alone.
func (s series) message(l *letters, i int, group delivery.Envelope, said texts) delivery.Message {
	if s.converter != nil {
		said.text = s.converter.Convert(said.html, l.common.inText, l.mail.values(l.mail.Own[i]).inText)
	}
	letter := compose.Letter{
		To: l.mail.Recipients[i : i+1], Subject: said.subject, Fields: l.mail.letterFields(i),
		HTML: said.html, Text: said.text,
	}
	return s.with(redirected(letter, group))
}

// with returns the message that begins with a letter. All messages of the series share the tail.
func (s series) with(l compose.Letter) delivery.Message {
	return delivery.Message{Head: s.heads.Head(l), Tail: s.tail}
}

// letters holds the templates of a mail, and writes the texts of each recipient.
type letters struct {
	mail   *Mail
	given  templates // of the request and its downloads
	says   templates // where all recipients get the same, placeholders are replaced already
	common values
	limit  int // in bytes, of each text

	html, text bool // whether it differs from recipient to recipient
}

// letters prepares the texts of a mail. What is the same for all is written once, here.
func (m *Mail) letters(t templates) (*letters, error) {
	common := m.values(m.Placeholders)
	alike, err := t.write(MaxSize, common)
	if err != nil {
		return nil, rejection.Errorf(rejection.TooLarge, "%s", err)
	}
	says := func(of placeholder.Template, written string) placeholder.Template {
		if m.differs(of) {
			return of
		}
		return placeholder.Parse(written, nil) // no names: a {NAME} that a value brought along stays as it is
	}
	l := &letters{
		mail:   m,
		given:  t,
		says:   templates{says(t.subject, alike.subject), says(t.html, alike.html), says(t.text, alike.text)},
		common: common,
		limit:  MaxSize,
		html:   m.differs(t.html),
		text:   m.differs(t.text),
	}
	if l.html || l.text {
		l.limit = maxDiffering
	}
	return l, nil
}

// differs reports whether a text uses a placeholder of a recipient.
func (m *Mail) differs(t placeholder.Template) bool {
	for _, own := range m.Own {
		if slices.ContainsFunc(own, func(p Placeholder) bool { return t.Used[p.Name] }) {
			return true
		}
	}
	return false
}

// write returns the texts of the recipient with that index.
func (l *letters) write(i int) (texts, error) {
	said, err := l.says.write(l.limit, l.common, l.mail.values(l.mail.Own[i]))
	if err != nil {
		return said, rejection.Errorf(rejection.TooLarge, "for recipients[%d] %s", i, err)
	}
	return said, nil
}

// sample is the texts of the first recipient with one set of parts.
type sample struct {
	texts
	recipient int
}

// check checks the texts of every recipient before the first one is sent: an error halfway would leave a mail that
// some have and others never get. It returns one sample for each set of parts.
func (l *letters) check() (samples []sample, warnings []string, err error) {
	var untitled []int
	for i := range l.mail.Recipients {
		said, err := l.write(i)
		if err != nil {
			return nil, nil, err
		}
		if err := cmp.Or(l.checkText("html", said.html), l.checkText("text", said.text)); err != nil {
			return nil, nil, err
		}
		if !slices.ContainsFunc(samples, func(s sample) bool { return s.parts() == said.parts() }) {
			samples = append(samples, sample{said, i})
		}
		if visible.Blank(said.subject) {
			untitled = append(untitled, i)
		}
	}
	switch {
	case len(untitled) == len(l.mail.Recipients):
		warnings = append(warnings, noSubject)
	case len(untitled) > 0:
		warnings = append(warnings, noSubject+" for "+rejection.Indices("recipients", untitled))
	}
	return samples, append(warnings, l.missing()...), nil
}

// checkText checks the size of one text of a recipient.
func (l *letters) checkText(name, text string) error {
	if len(text) > l.limit {
		return rejection.Errorf(rejection.TooLarge, "%s is over %d bytes: with separate in config it may have no "+
			"more where html or text has placeholders of recipients", name, l.limit)
	}
	return nil
}

// missing warns of placeholders that have a value for some recipients and none for others.
func (l *letters) missing() (warnings []string) {
	for name, without := range placeholder.Gaps(len(l.mail.Own), l.needed) {
		if len(warnings) == maxListed {
			break
		}
		warnings = append(warnings, fmt.Sprintf("{%s} stays as it is for %s: they have no value for it",
			api.Brief(name), rejection.Indices("recipients", without)))
	}
	return warnings
}

// needed yields each recipient's index with the names of his own placeholders. It skips names that stand in no text
// and names that have a value for the whole mail: nobody lacks these.
func (l *letters) needed(yield func(recipient int, name string) bool) {
	for i, own := range l.mail.Own {
		for _, p := range own {
			_, given := l.common.inText[p.Name]
			if !given && l.says.uses(p.Name) && !yield(i, p.Name) {
				return
			}
		}
	}
}
