package mail

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/placeholder"
	"frontdesk/internal/mail/plaintext"
	"frontdesk/internal/mail/rejection"
)

// writeSeries writes the messages of a mail of which each recipient gets one of his own: now what they have in common,
// and each by itself when it is asked for.
func writeSeries(start time.Time, m *Mail, t templates, files []compose.File) (written, []string, error) {
	l, err := m.letters(t)
	if err != nil {
		return written{}, nil, err
	}
	first, warnings, err := l.check()
	if err != nil {
		return written{}, warnings, err
	}
	mime, unconverted, err := m.message(start, first, files)
	warnings = append(warnings, unconverted...)
	if err != nil {
		return written{}, warnings, err
	}
	var converter *plaintext.Converter
	if l.html && mime.Text != nil && blank(first.text) {
		converter = plaintext.NewConverter(l.says.html, m.on(EscapePlaceholders))
	}
	series, tail := compose.NewSeries(mime, l.html, l.text || converter != nil)
	end := delivery.NewTail(tail)
	message := func(i int) (delivery.Message, error) {
		letter, err := l.letter(i, converter)
		if err != nil {
			return delivery.Message{}, err
		}
		whole := delivery.Message{Head: series.Head(letter), Tail: end}
		return whole, checkSize(whole.Size())
	}
	sample, err := message(0)
	if err != nil {
		return written{}, warnings, err
	}
	return written{messages: message, size: sample.Size()}, warnings, nil
}

// letters are what each recipient of a mail is told by himself.
type letters struct {
	mail   *Mail
	says   templates // those that do not differ have their placeholders replaced
	common values
	limit  int // in bytes, of each text

	html, text bool // they differ
}

// letters are those of a mail, given its texts.
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
		return placeholder.Parse(written, nil)
	}
	l := &letters{
		mail:   m,
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

// differs reports whether placeholders of recipients stand in a text.
func (m *Mail) differs(t placeholder.Template) bool {
	for _, own := range m.Own {
		if slices.ContainsFunc(own, func(p Placeholder) bool { return t.Used[p.Name] }) {
			return true
		}
	}
	return false
}

// write is what a recipient is told.
func (l *letters) write(i int) (texts, error) {
	said, err := l.says.write(l.limit, l.common, l.mail.values(l.mail.Own[i]))
	if err != nil {
		return said, rejection.Errorf(rejection.TooLarge, "for recipients[%d] %s", i, err)
	}
	return said, nil
}

// check holds what each recipient is told against the rules, and gives what the first one is. All messages of a series
// have the same parts.
func (l *letters) check() (first texts, warnings []string, err error) {
	var untitled []int
	for i := range l.mail.Recipients {
		said, err := l.write(i)
		if err != nil {
			return first, nil, err
		}
		if i == 0 {
			first = said
		}
		if err := cmp.Or(l.checkText("html", i, said.html, first.html),
			l.checkText("text", i, said.text, first.text)); err != nil {
			return first, nil, err
		}
		if blank(said.subject) {
			untitled = append(untitled, i)
		}
	}
	switch {
	case len(untitled) == len(l.mail.Recipients):
		warnings = append(warnings, noSubject)
	case len(untitled) > 0:
		warnings = append(warnings, noSubject+" for "+rejection.Indices("recipients", untitled))
	}
	return first, append(warnings, l.missing()...), nil
}

// checkText holds one text of a recipient against the rules, and beside that of the first one.
func (l *letters) checkText(name string, i int, text, first string) error {
	switch {
	case len(text) > l.limit:
		return rejection.Errorf(rejection.TooLarge, "%s is over %d bytes: with separate in config it may have no "+
			"more where html or text has placeholders of recipients", name, l.limit)
	case blank(text) != blank(first):
		return rejection.Errorf(rejection.EmptyBody, "%s is empty for some recipients and not for others, such as "+
			"recipients[0] and recipients[%d]: with separate in config all mails have the same parts", name, i)
	}
	return nil
}

// missing are warnings of placeholders for which some recipients have a value and others have none.
func (l *letters) missing() (warnings []string) {
	for name, without := range placeholder.Gaps(len(l.mail.Own), l.needed) {
		if len(warnings) == maxListed {
			break
		}
		warnings = append(warnings, fmt.Sprintf("{%s} stays as it is for %s: they have no value for it",
			rejection.Brief(name), rejection.Indices("recipients", without)))
	}
	return warnings
}

// needed yields each recipient's index with the names of those of its own placeholders that stand in a text and for
// which the mail has no value.
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

// letter is what the message for a recipient has of its own. Where plain text is made of HTML that differs, a converter
// makes it; nil is for any other mail.
func (l *letters) letter(i int, converter *plaintext.Converter) (compose.Letter, error) {
	said, err := l.write(i)
	if err != nil {
		return compose.Letter{}, err
	}
	text := said.text
	if converter != nil {
		text = converter.Convert(said.html, l.common.inText, l.mail.values(l.mail.Own[i]).inText)
	}
	return compose.Letter{To: l.mail.Recipients[i], Subject: said.subject, HTML: said.html, Text: text}, nil
}
