package mail_test

import (
	"net/http"
	"testing"

	"frontdesk/internal/expect"
)

// TestNamesOfOtherAPIs: a field of another mail API is ignored, and the warning names ours. The mail is sent with its
// other fields.
func TestNamesOfOtherAPIs(t *testing.T) {
	t.Parallel()
	s := start(t)
	for field, use := range map[string]string{
		"to": "recipients", "To": "recipients", "from": "sender", "cc": "ccs", "Bcc": "bccs",
		"reply_to": "replyto", "replyTo": "replyto", "ReplyTo": "replyto", "h:Reply-To": "replyto",
		"reply_to_list": "replyto", "FromEmailAddress": "sender", "Destination": "recipients, ccs and bccs",
		"body": "html or text", "content": "html or text", "Content": "html or text",
		"HtmlBody": "html", "html_body": "html", "htmlContent": "html", "HTMLPart": "html",
		"TextBody": "text", "text_body": "text", "textContent": "text", "TextPart": "text",
		"template_id":           "htmlurl with placeholders: there are no templates",
		"TemplateId":            "htmlurl with placeholders: there are no templates",
		"dynamic_template_data": "placeholders", "params": "placeholders", "variables": "placeholders",
		"recipient-variables": "placeholders of each of recipients, and separate in config",
		"personalizations":    "recipients, each with its placeholders, and separate in config",
		"Headers":             "headers", "Tag": "tags", "o:tag": "tags", "categories": "tags", "EmailTags": "tags",
		"Attachments": "attachments", "attachment": "attachments", "inline": "attachments, with a cid",
	} {
		t.Run(field, func(t *testing.T) {
			_, r := s.mustSend(t, s.mail(object{field: "x"}))
			expect.Equal(t, "warnings", r.Warning, []string{"unknown field " + field + " is ignored; use " + use})
		})
	}
	t.Run("in an attachment", func(t *testing.T) {
		_, r := s.mustSend(t, s.mail(object{"attachments": array{object{
			"content": "eA==", "Name": "a.txt", "ContentType": "text/plain", "content_id": "c", "size": 1,
		}}}))
		expect.Equal(t, "warnings", r.Warning, []string{
			"unknown field attachments[0].ContentType is ignored; use type",
			"unknown field attachments[0].Name is ignored; use filename",
			"unknown field attachments[0].content_id is ignored; use cid",
			"unknown field attachments[0].size is ignored",
		})
	})
	t.Run("in the address of a sender", func(t *testing.T) {
		sender := object{"email": "sender@example.com", "address": "sender@example.com"}
		_, r := s.mustSend(t, s.mail(object{"sender": sender}))
		expect.Equal(t, "warnings", r.Warning, []string{"unknown field sender.address is ignored; use email"})
	})
	// The warning comes with the error, where it explains it.
	t.Run("a mail without recipients is told of to", func(t *testing.T) {
		r := s.send(t, s.mail(object{"recipients": nil, "to": "ada@example.org"}))
		r.Is(t, http.StatusOK, object{"status": "error", "error": "recipients must name at least one recipient"})
		expect.Equal(t, "warnings", r.Warning, []string{"unknown field to is ignored; use recipients"})
	})
	t.Run("a repeated request has the same warnings", func(t *testing.T) {
		mail := s.mail(object{"to": "ada@example.org"})
		first, again := s.sendOnce(t, "other-names", mail), s.sendOnce(t, "other-names", mail)
		expect.Equal(t, "it is replayed", again.replayed(), "true")
		expect.Equal(t, "the answer", again.Raw, first.Raw)
		expect.Equal(t, "warnings", again.Warning, []string{"unknown field to is ignored; use recipients"})
	})
}

// TestAMailForAnotherTimeIsRefused, because the service would send it now. It uses up no Idempotency-Key.
func TestAMailForAnotherTimeIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	const refusal = " is not possible: a mail is sent at once, so ask for it when it is to be sent"
	for field, value := range map[string]any{
		"scheduled_at": "2026-12-24T18:00:00Z", "scheduledAt": "in 1 hour", "send_at": 1798135200,
		"sendAt": "2026-12-24", "deliver_at": "2026-12-24T18:00:00Z", "delay": 60,
		"o:deliverytime": "Thu, 24 Dec 2026 18:00:00 +0000", "delivery_time": "2026-12-24",
		"o:time-zone-localize": "18:00",
	} {
		t.Run(field, func(t *testing.T) {
			mail := s.mail(object{field: value, "htmlurl": s.files.URL + "/hello.html"})
			s.mustRefuse(t, mail, http.StatusOK, field+refusal)
			r := s.sendOnce(t, "later-"+field, mail)
			r.Is(t, http.StatusOK, object{"code": "invalid", "error": field + refusal, "warning": nil})
			// Another mail under the same key would be 422 if the refusal had left a record.
			s.sendOnce(t, "later-"+field, s.mail(nil)).Is(t, http.StatusOK, object{"status": "success"})
		})
	}
	t.Run("null and an empty string ask for nothing", func(t *testing.T) {
		_, r := s.mustSend(t, s.mail(object{"send_at": null, "scheduled_at": ""}))
		expect.Equal(t, "warnings", r.Warning, nil)
	})
	t.Run("it is told with other faults", func(t *testing.T) {
		r := s.send(t, s.mail(object{"recipients": nil, "send_at": 1, "delay": 2}))
		r.Is(t, http.StatusOK, object{
			"code":  "invalid",
			"error": "recipients must name at least one recipient; delay" + refusal + "; send_at" + refusal,
		})
	})
}
