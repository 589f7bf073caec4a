package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mailModel is a mail as its client knows it.
type mailModel struct {
	subject     string   // unique
	redirected  bool     // it goes to redirectedTo
	recipients  []string // no other mail has them
	attachments []attachment
	request     request // with an Idempotency-Key or without
	outcome     outcome
	ids         []string      // SES's ids, of the last answer that has any
	finalAnswer string        // the body of the final answer
	retryAt     time.Time     // when to send it again; zero: never
	backOff     time.Duration // the last pause after a meeting with another request with the key
}

// outcome is what a client was told about a mail, in numbers of recipients.
type outcome struct {
	known bool // if not, anything may have happened
	// Numbers of recipients: the mail has certainly reached them, may have reached them, and has certainly not
	// reached them.
	acknowledged, unknown, refused int
}

// final reports whether the answer is the last word: no later request with the same key changes it.
func (o outcome) final() bool { return o.known && o.refused == 0 }

// The sentences of answers about how far a mail has come. If each recipient gets a separate mail, their indices
// follow the number.
const (
	refusedAll = "the mail was not sent: "
	unknownAll = "the mail may or may not have been sent: "
)

var (
	acknowledgedSome = regexp.MustCompile(`^the mail reached (\d+) of (\d+) recipients`)
	refusedSome      = regexp.MustCompile(`; it was not sent to (\d+)(?: \([^)]*\))?: `)
	unknownSome      = regexp.MustCompile(`; it may or may not have been sent to (\d+)(?: \([^)]*\))?: `)
)

// outcomeOf returns what an answer says about a good mail, which is for all recipients.
func outcomeOf(all int, a answer, v *violations) outcome {
	body := read[struct{ Status, Error string }](a)
	number := func(pattern *regexp.Regexp) (sum int) { // an answer has one for each reason
		for _, match := range pattern.FindAllStringSubmatch(body.Error, -1) {
			n, _ := strconv.Atoi(match[1])
			sum += n
		}
		return sum
	}
	switch {
	case body.Status == "success":
		return outcome{known: true, acknowledged: all}
	case strings.HasPrefix(body.Error, refusedAll):
		return outcome{known: true, refused: all}
	case strings.HasPrefix(body.Error, unknownAll):
		return outcome{known: true, unknown: all}
	case acknowledgedSome.MatchString(body.Error):
		o := outcome{
			known:        true,
			acknowledged: number(acknowledgedSome),
			unknown:      number(unknownSome),
			refused:      number(refusedSome),
		}
		if o.acknowledged+o.unknown+o.refused == all {
			return o
		}
	}
	v.add("a good mail to %d recipients is answered with %s", all, a)
	return outcome{}
}

// hasSubject reports whether a mail is shown with the subject that it was sent with.
func (m *mailModel) hasSubject(shown string) bool {
	return shown == m.subject || m.redirected && strings.HasSuffix(shown, "] "+m.subject)
}

// captures counts how often SES got a mail, for each of its recipients.
type captures map[string]int

// check compares what SES got with what the client was told, and reports whether they agree.
func (m *mailModel) check(got captures, v *violations) (good bool) {
	good = true
	violated := func(format string, args ...any) {
		good = false
		v.add(format, args...)
	}
	reached := 0
	var twice []string
	for _, recipient := range m.recipients {
		if got[recipient] > 0 {
			reached++
		}
		if got[recipient] > 1 {
			twice = append(twice, recipient)
		}
	}
	if len(twice) > 0 {
		violated("the mail %s was sent more than once to %d recipients, %d times to %s",
			m.subject, len(twice), got[twice[0]], twice[0])
	}
	for recipient := range got {
		if !slices.Contains(m.recipients, recipient) {
			violated("the mail %s was sent for %s", m.subject, recipient)
		}
	}
	if !m.retryAt.IsZero() {
		violated("the mail %s has no final answer; the last one says %+v", m.subject, m.outcome)
	}
	if o := m.outcome; o.known && (reached < o.acknowledged || reached > o.acknowledged+o.unknown) {
		violated("the mail %s reached %d recipients; its client was told %+v", m.subject, reached, o)
	}
	return good
}
