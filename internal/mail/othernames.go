package mail

import (
	"strings"
	"unicode"

	"frontdesk/internal/api"
)

// otherNames maps the fields of other mail APIs to ours, so that a client written for one of them learns what to use.
// The APIs: SendGrid, Mailgun, Postmark, Resend, Brevo, Mailjet, SparkPost, MailerSend, SES and Nodemailer. Keys have
// the form of [plainPath].
var otherNames = map[string]string{
	"to":               "recipients",
	"toaddresses":      "recipients",
	"destination":      "recipients, ccs and bccs",
	"personalizations": "recipients, each with its placeholders, and separate in config",
	"messageversions":  "recipients, each with its placeholders, and separate in config",
	"cc":               "ccs",
	"bcc":              "bccs",
	"from":             "sender",
	"fromemailaddress": "sender",
	"replyto":          "replyto",
	"replytolist":      "replyto",
	"replytoaddresses": "replyto",
	"h:replyto":        "replyto",

	"subject":     "subject",
	"body":        "html or text",
	"content":     "html or text",
	"html":        "html",
	"htmlbody":    "html",
	"htmlcontent": "html",
	"htmlpart":    "html",
	"text":        "text",
	"textbody":    "text",
	"textcontent": "text",
	"textpart":    "text",
	"plaintext":   "text",

	"template":            "htmlurl with placeholders: there are no templates",
	"templateid":          "htmlurl with placeholders: there are no templates",
	"templatealias":       "htmlurl with placeholders: there are no templates",
	"templatename":        "htmlurl with placeholders: there are no templates",
	"templatemodel":       "placeholders",
	"templatedata":        "placeholders",
	"dynamictemplatedata": "placeholders",
	"substitutions":       "placeholders",
	"substitutiondata":    "placeholders",
	"recipientvariables":  "placeholders of each of recipients, and separate in config",
	"variables":           "placeholders",
	"params":              "placeholders",
	"mergevars":           "placeholders",

	"headers":    "headers",
	"tags":       "tags",
	"tag":        "tags",
	"o:tag":      "tags",
	"emailtags":  "tags",
	"categories": "tags",
	"metadata":   "tags",
	"customargs": "tags",

	"attachments":               "attachments",
	"attachment":                "attachments",
	"inline":                    "attachments, with a cid",
	"attachments.name":          "filename",
	"attachments.contenttype":   "type",
	"attachments.mimetype":      "type",
	"attachments.contentid":     "cid",
	"attachments.path":          "url",
	"attachments.href":          "url",
	"attachments.data":          "content",
	"attachments.base64content": "content",

	"recipients.address": "email",
	"ccs.address":        "email",
	"bccs.address":       "email",
	"sender.address":     "email",
	"replyto.address":    "email",
}

// otherTimes has the fields by which those APIs schedule a mail. Keys have the form of [plainPath].
var otherTimes = map[string]bool{
	"scheduledat": true, "sendat": true, "deliverat": true, "delay": true, "deliverytime": true,
	"o:deliverytime": true, "o:deliverytimeoptimizeperiod": true, "o:timezonelocalize": true,
}

// ourName returns the end of a warning about an unknown field: the name to use instead, or "".
func ourName(path string) string {
	if name, known := otherNames[plainPath(path)]; known {
		return "; use " + name
	}
	return ""
}

// laterFields returns the unknown fields that schedule a mail. Call it last: [api.Object.Unknown] lists what nobody
// has read.
func laterFields(o *api.Object) []string {
	var names []string
	for _, path := range o.Unknown() {
		if otherTimes[plainPath(path)] && o.Given(path) {
			names = append(names, path)
		}
	}
	return names
}

// checkTime refuses a mail for a later time. A warning would be too little: the mail would go out now.
func (m *Mail) checkTime(f *faults) {
	for _, name := range m.Later {
		f.add(api.Brief(name), "is not possible: a mail is sent at once, so ask for it when it is to be sent")
	}
}

// plainPath reduces a path to what all spellings share: reply_to, replyTo and Reply-To become replyto. Indices
// go, too.
func plainPath(path string) string {
	inIndex := false
	return strings.Map(func(c rune) rune {
		switch c {
		case '[':
			inIndex = true
		case ']':
			inIndex = false
		case '_', '-':
		default:
			if !inIndex {
				return unicode.ToLower(c)
			}
		}
		return -1
	}, path)
}
