package main

import (
	"fmt"
	"testing"
	"time"
)

// mailToThree is a mail to mail.0, mail.1 and mail.2@example.org.
func mailToThree() *mailModel {
	m := &mailModel{subject: "mail"}
	for i := range 3 {
		m.recipients = append(m.recipients, fmt.Sprintf("mail.%d@example.org", i))
	}
	return m
}

// TestMailOracle: each case is what the client was told about a mail to three, how often SES got it for each of them,
// and the expected violation.
func TestMailOracle(t *testing.T) {
	told := func(acknowledged, unknown, refused int) outcome {
		return outcome{true, acknowledged, unknown, refused}
	}
	for name, c := range map[string]struct {
		told   outcome
		copies []int
		want   string
	}{
		"acknowledged and captured":                 {told(3, 0, 0), []int{1, 1, 1}, ""},
		"acknowledged, not captured":                {told(3, 0, 0), []int{0, 0, 0}, "reached 0 recipients"},
		"acknowledged, captured for some":           {told(3, 0, 0), []int{1, 0, 1}, "reached 2 recipients"},
		"acknowledged, captured twice":              {told(3, 0, 0), []int{1, 2, 1}, "2 times to mail.1@example.org"},
		"captured for one who is no recipient":      {told(3, 0, 0), []int{1, 1, 1, 1}, "for mail.3@example.org"},
		"not sent":                                  {told(0, 0, 3), []int{0, 0, 0}, ""},
		"said not to be sent, captured":             {told(0, 0, 3), []int{1, 0, 0}, "reached 1 recipients"},
		"may have been sent, and was":               {told(0, 3, 0), []int{1, 1, 1}, ""},
		"may have been sent, and was not":           {told(0, 3, 0), []int{0, 0, 0}, ""},
		"may have been sent, and was twice":         {told(0, 3, 0), []int{1, 1, 2}, "2 times to mail.2@example.org"},
		"reached some":                              {told(2, 0, 1), []int{1, 0, 1}, ""},
		"reached some, may have reached the others": {told(2, 1, 0), []int{1, 1, 1}, ""},
		"reached fewer than it says":                {told(2, 0, 1), []int{1, 0, 0}, "reached 1 recipients"},
		"no answer that tells, captured":            {outcome{}, []int{1, 1, 1}, ""},
		"no answer that tells, not captured":        {outcome{}, []int{0, 0, 0}, ""},
		"no answer that tells, captured twice":      {outcome{}, []int{2, 1, 1}, "2 times to mail.0@example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			m := mailToThree()
			m.outcome = c.told
			got := captures{}
			for i, n := range c.copies {
				got[fmt.Sprintf("mail.%d@example.org", i)] = n
			}
			var found violations
			m.check(got, &found)
			found.want(t, c.want)
		})
	}
}

// TestOutcomeOracle: each case is what the log shows of a mail to two addresses, and the expected violation.
func TestOutcomeOracle(t *testing.T) {
	const bounced, delivered = "bounce+mail.0@simulator.amazonses.com", "mail.1@example.org"
	const wrong = "is in the log as"
	type recipient = struct{ Email, Status string }
	for name, c := range map[string]struct {
		subject string
		shown   []recipient
		want    string
	}{
		"as it became":          {"mail", []recipient{{bounced, "bounced"}, {delivered, "delivered"}}, ""},
		"a status too early":    {"mail", []recipient{{bounced, "sent"}, {delivered, "delivered"}}, wrong},
		"a recipient less":      {"mail", []recipient{{bounced, "bounced"}}, wrong},
		"another recipient":     {"mail", []recipient{{bounced, "bounced"}, {"x@example.org", "delivered"}}, wrong},
		"another subject":       {"other", []recipient{{bounced, "bounced"}, {delivered, "delivered"}}, wrong},
		"statuses that are not": {"mail", []recipient{{bounced, "delivered"}, {delivered, "bounced"}}, wrong},
	} {
		t.Run(name, func(t *testing.T) {
			var found violations
			shown := mailView{Subject: c.subject, Recipients: c.shown}
			good := mailToThree().checkOutcome([]string{bounced, delivered}, shown, &found)
			if found.want(t, c.want); good != (c.want == "") {
				t.Errorf("good: %t", good)
			}
		})
	}
}

// TestAMailWithAKeyEndsWithAFinalAnswer: a mail that is still due for a retry at the end is a violation.
func TestAMailWithAKeyEndsWithAFinalAnswer(t *testing.T) {
	m := mailToThree()
	m.retryAt = time.Now()
	var found violations
	m.check(captures{}, &found)
	found.want(t, "no final answer")
}

// TestWhatAnAnswerSaysOfAMail: each case is an answer to a mail to three recipients, and what it tells about each.
func TestWhatAnAnswerSaysOfAMail(t *testing.T) {
	failure := func(text string) string { return `{"status":"error","error":"` + text + `"}` }
	for name, c := range map[string]struct {
		body  string
		want  outcome
		final bool
		said  string
	}{
		"success": {`{"status":"success","id":"x"}`, outcome{true, 3, 0, 0}, true, ""},
		"not sent": {
			failure("the mail was not sent: SES is asked too often at the moment"), outcome{true, 0, 0, 3}, false, "",
		},
		"unknown": {
			failure("the mail may or may not have been sent: SES answered 500"), outcome{true, 0, 3, 0}, true, "",
		},
		"some reached, none to be": {
			failure("the mail reached 2 of 3 recipients; it may or may not have been sent to 1: SES answered 500"),
			outcome{true, 2, 1, 0}, true, "",
		},
		"some reached, some to be": {
			failure("the mail reached 1 of 3 recipients; it was not sent to 1: x; " +
				"it may or may not have been sent to 1: y"),
			outcome{true, 1, 1, 1}, false, "",
		},
		"some may be reached, for two reasons": {
			failure("the mail reached 1 of 3 recipients; it may or may not have been sent to 1: x; " +
				"it may or may not have been sent to 1: y"),
			outcome{true, 1, 2, 0}, true, "",
		},
		"numbers that do not add up": {
			failure("the mail reached 1 of 3 recipients; it was not sent to 1: x"), outcome{}, false, "to 3 recipients",
		},
		"a reason that a good mail has not": {
			failure("subject must not contain CR"), outcome{}, false, "subject must not",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var found violations
			got := outcomeOf(3, answer{status: 200, body: []byte(c.body)}, &found)
			if got != c.want || got.final() != c.final {
				t.Errorf("%+v, final: %t; want %+v, %t", got, got.final(), c.want, c.final)
			}
			found.want(t, c.said)
		})
	}
}

// TestAttachmentsAreWholeInAMessage: every line of the file is there, no line more, and each with CRLF.
func TestAttachmentsAreWholeInAMessage(t *testing.T) {
	a := attachment{"a.bin", 3}
	line := "YS5iaW4gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAK\r\n"
	for name, c := range map[string]struct {
		message string
		want    bool
	}{
		"whole":           {"--b\r\n\r\n" + line + line + line + "--b--", true},
		"a line short":    {"--b\r\n\r\n" + line + line + "--b--", false},
		"a line more":     {"--b\r\n\r\n" + line + line + line + line + "--b--", false},
		"cut in a line":   {"--b\r\n\r\n" + line + line + line[:50] + "\r\n--b--", false},
		"another's lines": {"--b\r\n\r\n" + line + "Yi5iaW4g\r\n" + line + "--b--", false},
	} {
		if got := a.isWholeIn([]byte(c.message)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
