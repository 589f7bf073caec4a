package main

import (
	"regexp"
	"slices"
	"strconv"
	"time"
)

// letter is a mail as its client knows it.
type letter struct {
	subject    string   // no other's
	recipients []string // each is this mail's alone
	attached   []file
	request    request // with an Idempotency-Key or without
	outcome    outcome
	first      string        // the body of the answer that was final
	due        time.Time     // when to send it again; zero: not
	busy       time.Duration // how long the client waited for another request with the key
}

// outcome is what has become of a mail, by what its client was told.
type outcome struct {
	told bool // else anything may have
	// How many recipients it has certainly reached, may have reached, and has certainly not.
	reached, unknown, unsent int
}

// final reports whether the answer is the last word: no later request with the same key changes it.
func (o outcome) final() bool { return o.told && o.unsent == 0 }

// The sentences by which an answer says how far a mail has come.
var (
	unsentAll  = regexp.MustCompile(`^the mail was not sent: `)
	unknownAll = regexp.MustCompile(`^the mail may or may not have been sent: `)
	partly     = regexp.MustCompile(`^the mail reached (\d+) of (\d+) recipients`)
	notSentTo  = regexp.MustCompile(`; it was not sent to (\d+): `)
	maybeSent  = regexp.MustCompile(`; it may or may not have been sent to (\d+): `)
)

// outcomeOf is what an answer says of a good mail to all recipients, so many.
func outcomeOf(all int, a answer, broken *violations) outcome {
	said := read[struct{ Status, Error string }](a)
	number := func(pattern *regexp.Regexp) int {
		n := 0
		if match := pattern.FindStringSubmatch(said.Error); match != nil {
			n, _ = strconv.Atoi(match[1])
		}
		return n
	}
	switch {
	case said.Status == "success":
		return outcome{told: true, reached: all}
	case unsentAll.MatchString(said.Error):
		return outcome{told: true, unsent: all}
	case unknownAll.MatchString(said.Error):
		return outcome{told: true, unknown: all}
	case partly.MatchString(said.Error):
		o := outcome{told: true, reached: number(partly), unsent: number(notSentTo), unknown: number(maybeSent)}
		if o.reached+o.unsent+o.unknown == all {
			return o
		}
	}
	broken.add("a good mail to %d recipients is answered with %s", all, a)
	return outcome{}
}

// captures are how often SES got a mail, for each of its recipients.
type captures map[string]int

// judge holds what SES got against what the client was told, and is true if that is in order.
func (l *letter) judge(got captures, broken *violations) (good bool) {
	good = true
	object := func(format string, args ...any) {
		good = false
		broken.add(format, args...)
	}
	reached := 0
	var twice []string
	for _, recipient := range l.recipients {
		if got[recipient] > 0 {
			reached++
		}
		if got[recipient] > 1 {
			twice = append(twice, recipient)
		}
	}
	if len(twice) > 0 {
		object("the mail %s was sent more than once to %d recipients, %d times to %s", l.subject, len(twice), got[twice[0]], twice[0])
	}
	for recipient := range got {
		if !slices.Contains(l.recipients, recipient) {
			object("the mail %s was sent for %s", l.subject, recipient)
		}
	}
	if !l.due.IsZero() {
		object("the mail %s has no final answer; the last one says %+v", l.subject, l.outcome)
	}
	if o := l.outcome; o.told && (reached < o.reached || reached > o.reached+o.unknown) {
		object("the mail %s reached %d recipients; its client was told %+v", l.subject, reached, o)
	}
	return good
}
