package mail_test

import (
	"fmt"
	"net/http"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// Ends of errors that show one right value of a field.
const (
	asRecipients   = `recipients, as in "recipients": [{"email": "ada@example.org", "name": "Ada"}]`
	asCCs          = `ccs, as in "ccs": [{"email": "ada@example.org", "name": "Ada"}]`
	asBCCs         = `bccs, as in "bccs": [{"email": "archive@example.com"}]`
	asSender       = `sender, as in "sender": {"email": "billing@example.com", "name": "Billing"}`
	asReplyTo      = `replyto, as in "replyto": [{"email": "help@example.com", "name": "Help desk"}]`
	asPlaceholders = `placeholders, as in "placeholders": [{"name": "NAME", "value": "Ada"}]`
	asURL          = "htmlurl with placeholders (there are no templates)"
	asFiles        = `attachments, as in "attachments": [{"url": "https://www.example.com/a.pdf", "filename": "a.pdf"}]`
)

// TestMisspeltFieldsThatDecideAreErrors: a mail that went out without its copies, from another sender or with another
// text cannot be called back. The error says which name to use, and what its value looks like.
func TestMisspeltFieldsThatDecideAreErrors(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for field, use := range map[string]string{
			// Ours, in another case, or in the singular.
			"Recipients": asRecipients, "recipient": asRecipients, "CCs": asCCs, "BCCs": asBCCs, "Sender": asSender,
			"replyTo": asReplyTo, "reply_to": asReplyTo, "Reply-To": asReplyTo, "HTML": "html", "html_url": "htmlurl",
			"textUrl": "texturl", "Text": "text", "Placeholders": asPlaceholders, "List": "list",
			"Config": `config, as in "config": ["noconversion"]`,
			// Those of other APIs.
			"to": asRecipients, "To": asRecipients, "ToAddresses": asRecipients, "cc": asCCs, "Cc": asCCs,
			"bcc": asBCCs,
			"Bcc": asBCCs, "BccAddresses": asBCCs, "from": asSender, "From": asSender, "from_email": asSender,
			"FromEmailAddress": asSender, "from_name": asSender, "h:Reply-To": asReplyTo, "reply_to_list": asReplyTo,
			"ReplyTo": asReplyTo, "Destination": "recipients, ccs and bccs", "envelope": "recipients, ccs and bccs",
			"body": "html or text", "content": "html or text", "Content": "html or text", "HtmlBody": "html",
			"html_body": "html", "htmlContent": "html", "HTMLPart": "html", "TextBody": "text", "text_body": "text",
			"textContent": "text", "TextPart": "text", "template": asURL, "template_id": asURL, "TemplateId": asURL,
			"TemplateAlias": asURL, "dynamic_template_data": asPlaceholders, "params": asPlaceholders,
			"variables": asPlaceholders, "merge_vars": asPlaceholders, "TemplateModel": asPlaceholders,
			"recipient-variables": "placeholders of each of recipients, and separate in config",
			"personalizations":    "recipients, each with its placeholders, and separate in config",
			"personalization":     "recipients, each with its placeholders, and separate in config",
			"react":               "html", "Messages": "a request for each mail",
		} {
			localtest.Case(t, field, func(t testing.TB) {
				mail := s.mail(object{field: "x", "htmlurl": s.files.URL + "/hello.html"})
				s.mustRefuse(t, mail, http.StatusOK, field+" is unknown: use "+use)
				r := s.sendOnce(t, "decisive-"+field, mail)
				r.Is(t, http.StatusOK, object{
					"code": "invalid", "error": field + " is unknown: use " + use, "warning": nil,
				})
				// Another mail under the same key would be 422 if the refusal had left a record.
				s.sendOnce(t, "decisive-"+field, s.mail(nil)).Is(t, http.StatusOK, object{"status": "success"})
			})
		}
		for name, c := range map[string]struct {
			mail object
			want string
		}{
			"an address of a recipient": {
				object{"recipients": array{object{"Email": "ada@example.org"}}},
				"recipients[0].Email is unknown: use email; recipients[0].email is missing",
			},
			"another address of a recipient": {
				object{"recipients": array{object{"email": "ada@example.org", "address": "bob@example.org"}}},
				"recipients[0].address is unknown: use email",
			},
			"an address of a copy": {
				object{"ccs": array{object{"email": "ada@example.org", "mail": "ada@example.org"}}},
				"ccs[0].mail is unknown: use email",
			},
			"an address of a sender": {
				object{"sender": object{"email": "sender@example.com", "address": "sender@example.com"}},
				"sender.address is unknown: use email",
			},
			// Mandrill lists all recipients together. Here a bcc would be a To, which everybody sees.
			"a kind of recipient": {
				object{"recipients": array{object{"email": "ada@example.org", "type": "bcc"}}},
				"recipients[0].type is unknown: use recipients, ccs and bccs, each a list of its own",
			},
			"placeholders of a recipient": {
				object{"recipients": array{object{
					"email": "ada@example.org", "substitution_data": object{"NAME": "Ada"},
				}}},
				"recipients[0].substitution_data is unknown: use " + asPlaceholders,
			},
			"the name of a placeholder": {
				object{"placeholders": array{object{"name": "A", "key": "B"}}},
				"placeholders[0].key is unknown: use name",
			},
			"the value of a placeholder": {
				object{"placeholders": array{object{"name": "A", "content": "B"}}},
				"placeholders[0].content is unknown: use value",
			},
			"copies of a recipient": {
				object{"recipients": array{object{"email": "ada@example.org", "cc": array{"bob@example.org"}}}},
				"recipients[0].cc is unknown: use recipients, ccs and bccs, each a list of its own",
			},
			"a picture's id": {
				object{"attachments": array{object{"content": "eA==", "content_id": "0"}}},
				"attachments[0].content_id is unknown: use cid",
			},
			"a picture's id, in another spelling": {
				object{"attachments": array{object{"content": "eA==", "contentId": "logo"}}},
				"attachments[0].contentId is unknown: use cid",
			},
			"a picture's id by its earlier name": {
				object{"attachments": array{object{"content": "eA==", "inline_content_id": "logo"}}},
				"attachments[0].inline_content_id is unknown: use cid",
			},
			"several, and other faults": {
				object{"recipients": nil, "to": "ada@example.org", "cc": array{"bob@example.org"}},
				"cc is unknown: use " + asCCs + "; to is unknown: use " + asRecipients +
					"; recipients must name at least one recipient",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.send(t, s.mail(c.mail))
				r.Is(t, http.StatusOK, object{"code": "invalid", "error": c.want, "warning": nil})
			})
		}
		// Clients with a fixed structure send every field.
		for name, value := range map[string]any{
			"null": null, "an empty string": "", "an empty list": array{}, "an empty object": object{},
		} {
			localtest.Case(t, name+" is not given", func(t testing.TB) {
				_, r := s.mustSend(t, s.mail(object{
					"to": value, "Cc": value, "template_id": value, "params": value, "send_at": value,
					"recipients": array{object{"email": "ada@example.org", "type": value}},
				}))
				expect.Equal(t, r.Warning, nil, "warnings")
			})
		}
	})
}

// TestOtherNamesOfOtherAPIs: a field without which a mail still says the same to the same people is ignored, and the
// warning names ours.
func TestOtherNamesOfOtherAPIs(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for field, use := range map[string]string{
			"Headers": "headers", "Tag": "tags", "o:tag": "tags", "categories": "tags", "EmailTags": "tags",
			"metadata": "tags", "Subject": "subject", "in_reply_to": "headers",
		} {
			localtest.Case(t, field, func(t testing.TB) {
				_, r := s.mustSend(t, s.mail(object{field: "x"}))
				expect.Equal(t, r.Warning, []string{"unknown field " + field + " is ignored; use " + use}, "warnings")
			})
		}
		localtest.Case(t, "in an attachment", func(t testing.TB) {
			_, r := s.mustSend(t, s.mail(object{"attachments": array{object{
				"content": "eA==", "Name": "a.txt", "ContentType": "text/plain", "id": "c", "size": 1,
			}}}))
			expect.Equal(t, r.Warning, []string{
				"unknown field attachments[0].ContentType is ignored; use type",
				"unknown field attachments[0].Name is ignored; use filename",
				"unknown field attachments[0].id is ignored; use cid",
				"unknown field attachments[0].size is ignored",
			}, "warnings")
		})
		localtest.Case(t, "the name of a person", func(t testing.TB) {
			_, r := s.mustSend(t, s.mail(object{"sender": object{"email": "sender@example.com", "Name": "Ada"}}))
			expect.Equal(t, r.Warning, []string{"unknown field sender.Name is ignored; use name"}, "warnings")
		})
		localtest.Case(t, "a repeated request has the same warnings", func(t testing.TB) {
			mail := s.mail(object{"tag": "news"})
			first, again := s.sendOnce(t, "other-names", mail), s.sendOnce(t, "other-names", mail)
			expect.Equal(t, again.replayed(), "true", "it is replayed")
			expect.Equal(t, again.Raw, first.Raw, "the answer")
			expect.Equal(t, again.Warning, []string{"unknown field tag is ignored; use tags"}, "warnings")
		})
	})
}

// TestAMailForAnotherTimeIsRefused, because the service would send it now. It uses up no Idempotency-Key.
func TestAMailForAnotherTimeIsRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const refusal = " is not possible: a mail is sent at once, so ask for it when it is to be sent"
		for field, value := range map[string]any{
			"scheduled_at": "2026-12-24T18:00:00Z", "scheduledAt": "in 1 hour", "send_at": 1798135200,
			"sendAt": "2026-12-24", "deliver_at": "2026-12-24T18:00:00Z", "delay": 60,
			"o:deliverytime": "Thu, 24 Dec 2026 18:00:00 +0000", "delivery_time": "2026-12-24",
			"o:time-zone-localize": "18:00",
		} {
			localtest.Case(t, field, func(t testing.TB) {
				mail := s.mail(object{field: value, "htmlurl": s.files.URL + "/hello.html"})
				s.mustRefuse(t, mail, http.StatusOK, field+refusal)
				r := s.sendOnce(t, "later-"+field, mail)
				r.Is(t, http.StatusOK, object{"code": "invalid", "error": field + refusal, "warning": nil})
				// Another mail under the same key would be 422 if the refusal had left a record.
				s.sendOnce(t, "later-"+field, s.mail(nil)).Is(t, http.StatusOK, object{"status": "success"})
			})
		}
		localtest.Case(t, "it is told with other faults", func(t testing.TB) {
			r := s.send(t, s.mail(object{"recipients": nil, "send_at": 1, "delay": 2}))
			r.Is(t, http.StatusOK, object{
				"code":  "invalid",
				"error": "delay" + refusal + "; send_at" + refusal + "; recipients must name at least one recipient",
			})
		})
	})
}

// TestSwitchesElsewhereAreErrors: a switch at the top level, and what other APIs have in its place, decides whether a
// mail goes, how often, who sees whom, and what it holds.
func TestSwitchesElsewhereAreErrors(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const (
			config     = " is unknown: use config, as in "
			noTest     = " is not possible: the mail would be sent; for tests, use a mail key that redirects its mails"
			noOptions  = " is not possible: what is in it, such as a test mode, is not read; all options are in config"
			noAMP      = " is not possible: a mail has html and text alone"
			unknown    = " is unknown: use "
			leaving    = "separate and unsubscribe in config, and list"
			idempotent = "the HTTP header Idempotency-Key"
			pictures   = "attachments, with a cid"
		)
		file := array{object{"content": "eA==", "filename": "a.txt"}}
		for field, c := range map[string]struct {
			value any
			want  string
		}{
			// Ours.
			"allowempty":           {true, config + `"config": ["allowempty"]`},
			"ignoreDlFails":        {true, config + `"config": ["ignoredlfails"]`},
			"noConversion":         {1, config + `"config": ["noconversion"]`},
			"url_before_string":    {"yes", config + `"config": ["urlbeforestring"]`},
			"subject-placeholders": {true, config + `"config": ["subjectplaceholders"]`},
			"escapeplaceholders":   {true, config + `"config": ["escapeplaceholders"]`},
			"Separate":             {true, config + `"config": ["separate"]`},
			"unsubscribe":          {true, config + `"config": ["separate", "unsubscribe"]`},
			"UNSUBSCRIBE":          {"https://example.com/leave", config + `"config": ["separate", "unsubscribe"]`},
			// Whether it goes.
			"sandbox_mode": {true, noTest}, "SandboxMode": {true, noTest}, "sandbox": {true, noTest},
			"o:testmode": {"yes", noTest}, "test": {1, noTest}, "testmode": {"on", noTest}, "test_mode": {true, noTest},
			"dry_run":               {true, noTest},
			"mail_settings":         {object{"sandbox_mode": object{"enable": true}}, noOptions},
			"options":               {object{"sandbox": true, "open_tracking": false}, noOptions},
			"asm":                   {object{"group_id": 7}, unknown + leaving},
			"topic_id":              {"b6d24b8e", unknown + leaving},
			"ListManagementOptions": {object{"ContactListName": "news"}, unknown + leaving},
			"list_unsubscribe":      {"<https://example.com>", unknown + "List-Unsubscribe in headers, or " + leaving},
			// Who sees whom.
			"preserve_recipients": {false, unknown + "separate in config"},
			// How often.
			"idempotency_key": {"order-7", unknown + idempotent}, "idempotencyKey": {"order-7", unknown + idempotent},
			"Idempotency-Key": {"order-7", unknown + idempotent}, "X-Idempotency-Key": {7, unknown + idempotent},
			"DeduplicateCampaign": {true, unknown + idempotent},
			// What it holds.
			"Attachments": {file, unknown + asFiles}, "attachment": {file, unknown + asFiles},
			"files": {file, unknown + asFiles}, "file": {"a.pdf", unknown + asFiles},
			"inline": {file, unknown + pictures}, "InlinedAttachments": {file, unknown + pictures},
			"Inline_attachments": {file, unknown + pictures}, "inline_images": {file, unknown + pictures},
			"images":       {file, unknown + pictures},
			"alternatives": {file, unknown + "html, text and attachments"},
			"icalEvent": {
				object{"content": "x"}, unknown + "attachments, one with the type text/calendar; method=REQUEST",
			},
			"amp": {"<html amp4email></html>", noAMP}, "amp-html": {"<html amp4email></html>", noAMP},
		} {
			localtest.Case(t, field, func(t testing.TB) {
				mail := s.mail(object{field: c.value, "htmlurl": s.files.URL + "/hello.html"})
				s.mustRefuse(t, mail, http.StatusOK, field+c.want)
				r := s.sendOnce(t, "switch-"+field, mail)
				r.Is(t, http.StatusOK, object{"code": "invalid", "error": field + c.want, "warning": nil})
				// Another mail under the same key would be 422 if the refusal had left a record.
				s.sendOnce(t, "switch-"+field, s.mail(nil)).Is(t, http.StatusOK, object{"status": "success"})
			})
		}
		// A client that works asks for what holds anyway.
		for field, c := range map[string]struct {
			values array
			advice string
		}{
			"separate":            {array{false, 0, "false", null}, ""},
			"unsubscribe":         {array{false, "", null}, ""},
			"sandbox_mode":        {array{false, null, "", "no"}, ""},
			"o:testmode":          {array{"no", "False"}, ""},
			"mail_settings":       {array{object{"sandbox_mode": object{"enable": false}}, object{}, null}, ""},
			"options":             {array{object{"sandbox": false}, array{}}, ""},
			"preserve_recipients": {array{true, null}, "; use separate in config"},
			"idempotency_key":     {array{null, ""}, "; use the HTTP header Idempotency-Key"},
			"Attachments":         {array{array{}, null}, "; use attachments"},
			"files":               {array{array{}, object{}, null}, "; use attachments"},
			"inline":              {array{array{}, false}, "; use attachments, with a cid"},
			"amp":                 {array{"", null, false}, ""},
		} {
			for i, value := range c.values {
				localtest.Case(t, fmt.Sprint(field, " asks for nothing ", i), func(t testing.TB) {
					_, r := s.mustSend(t, s.mail(object{field: value}))
					want := []string{"unknown field " + field + " is ignored" + c.advice}
					expect.Equal(t, r.Warning, want, "warnings")
				})
			}
		}
		for field, value := range map[string]any{"separate": true, "preserve_recipients": false} {
			localtest.Case(t, field+" asks for what config has", func(t testing.TB) {
				_, r := s.mustSend(t, s.mail(object{field: value, "config": array{"separate"}}))
				expect.Len(t, r.Warning, 1, "warnings")
				expect.HasPrefix(t, r.Warning[0], "unknown field "+field+" is ignored", "the warning")
			})
		}
	})
}
