package mail

import (
	"cmp"
	"encoding/json"
	"strings"

	"frontdesk/internal/base/api"
)

// decisiveNames maps fields of other mail APIs, and other spellings of ours, to ours: those that decide who gets a
// mail, from whom, and what it says. Each is an error, because nobody can call back a mail that went out without it.
//
// The APIs: SendGrid, Mailgun, Postmark, Resend, Brevo, Mailjet, Mandrill, SparkPost, MailerSend, SES and Nodemailer.
// Keys have the form of [plainPath].
var decisiveNames = map[string]string{
	"recipients":       "recipients",
	"recipient":        "recipients",
	"to":               "recipients",
	"toaddresses":      "recipients",
	"toemail":          "recipients",
	"destination":      "recipients, ccs and bccs",
	"destinations":     "recipients, ccs and bccs",
	"envelope":         "recipients, ccs and bccs",
	"personalizations": "recipients, each with its placeholders, and separate in config",
	"messageversions":  "recipients, each with its placeholders, and separate in config",
	"personalization":  "recipients, each with its placeholders, and separate in config",
	"ccs":              "ccs",
	"cc":               "ccs",
	"ccaddresses":      "ccs",
	"bccs":             "bccs",
	"bcc":              "bccs",
	"bccaddress":       "bccs",
	"bccaddresses":     "bccs",
	"sender":           "sender",
	"senderaddress":    "sender",
	"senderemail":      "sender",
	"sendername":       "sender",
	"from":             "sender",
	"fromaddress":      "sender",
	"fromemail":        "sender",
	"fromemailaddress": "sender",
	"fromname":         "sender",
	"replyto":          "replyto",
	"replytos":         "replyto",
	"replytolist":      "replyto",
	"replytoaddress":   "replyto",
	"replytoaddresses": "replyto",
	"replytoemail":     "replyto",
	"h:replyto":        "replyto",

	"mailbox.address":      "email",
	"mailbox.email":        "email",
	"mailbox.emailaddress": "email",
	"mailbox.mail":         "email",
	"mailbox.type":         "recipients, ccs and bccs, each a list of its own",
	"mailbox.cc":           "recipients, ccs and bccs, each a list of its own",
	"mailbox.bcc":          "recipients, ccs and bccs, each a list of its own",

	"body":        "html or text",
	"content":     "html or text",
	"message":     "html or text",
	"html":        "html",
	"htmlbody":    "html",
	"htmlcontent": "html",
	"htmlpart":    "html",
	"bodyhtml":    "html",
	"htmlurl":     "htmlurl",
	"text":        "text",
	"textbody":    "text",
	"textcontent": "text",
	"textpart":    "text",
	"bodytext":    "text",
	"plaintext":   "text",
	"texturl":     "texturl",
	"react":       "html",
	"messages":    "a request for each mail",

	"template":            "htmlurl with placeholders (there are no templates)",
	"templateid":          "htmlurl with placeholders (there are no templates)",
	"templatealias":       "htmlurl with placeholders (there are no templates)",
	"templatename":        "htmlurl with placeholders (there are no templates)",
	"templatecontent":     "htmlurl with placeholders (there are no templates)",
	"placeholders":        "placeholders",
	"placeholder":         "placeholders",
	"templatemodel":       "placeholders",
	"templatedata":        "placeholders",
	"templatevariables":   "placeholders",
	"dynamictemplatedata": "placeholders",
	"substitutions":       "placeholders",
	"substitutiondata":    "placeholders",
	"t:variables":         "placeholders",
	"variables":           "placeholders",
	"vars":                "placeholders",
	"params":              "placeholders",
	"mergevars":           "placeholders",
	"globalmergevars":     "placeholders",
	"recipientvariables":  "placeholders of each of recipients, and separate in config",

	"mailbox.placeholders":        "placeholders",
	"mailbox.dynamictemplatedata": "placeholders",
	"mailbox.substitutions":       "placeholders",
	"mailbox.substitutiondata":    "placeholders",
	"mailbox.variables":           "placeholders",
	"mailbox.vars":                "placeholders",
	"mailbox.params":              "placeholders",
	"placeholders.name":           "name",
	"placeholders.key":            "name",
	"placeholders.var":            "name",
	"placeholders.value":          "value",
	"placeholders.content":        "value",
	"placeholders.text":           "value",

	"attachments.contentid":       "cid",
	"attachments.inlinecontentid": "cid",

	"list":   "list",
	"config": "config",
}

// otherNames maps the other fields of those APIs to ours. A mail without them arrives all the same, so they are
// warnings. Keys have the form of [plainPath].
var otherNames = map[string]string{
	"subject":      "subject",
	"mailbox.name": "name",

	"headers":    "headers",
	"tags":       "tags",
	"tag":        "tags",
	"o:tag":      "tags",
	"emailtags":  "tags",
	"categories": "tags",
	"metadata":   "tags",
	"customargs": "tags",
	"inreplyto":  "headers",
	"references": "headers",

	"attachments.name":          "filename",
	"attachments.id":            "cid",
	"attachments.contenttype":   "type",
	"attachments.mimetype":      "type",
	"attachments.path":          "url",
	"attachments.href":          "url",
	"attachments.data":          "content",
	"attachments.base64content": "content",
}

// otherTimes has the fields by which those APIs schedule a mail. Keys have the form of [plainPath].
var otherTimes = map[string]bool{
	"scheduledat": true, "sendat": true, "deliverat": true, "delay": true, "deliverytime": true,
	"o:deliverytime": true, "o:deliverytimeoptimizeperiod": true, "o:timezonelocalize": true,
}

// ourName returns the end of a warning about an unknown field: the name to use instead, or "".
func ourName(path string) string {
	plain := plainPath(path)
	if name := cmp.Or(otherNames[plain], switchNames[plain]); name != "" {
		return "; use " + name
	}
	return ""
}

// refuses reports whether an unknown field with that value is an error. A warning would be too little: the mail would
// go out at once, to others than its author means, or with another text.
func (m *Mail) refuses(path string, value json.RawMessage) bool {
	plain := plainPath(path)
	_, decisive := decisiveNames[plain]
	return decisive || otherTimes[plain] || m.asksForChange(plain, value)
}

// refusal returns what is wrong with a field that is refused.
func refusal(path string) string {
	plain := plainPath(path)
	if otherTimes[plain] {
		return "is not possible: a mail is sent at once, so ask for it when it is to be sent"
	}
	if why, impossible := impossibleNames[plain]; impossible {
		return "is not possible: " + why
	}
	if isSwitch(plain) {
		return "is unknown: use config, as in " + inConfig(Switch(plain))
	}
	name := cmp.Or(decisiveNames[plain], switchNames[plain])
	if examples[name] != "" {
		return "is unknown: use " + name + ", as in " + examples[name]
	}
	return "is unknown: use " + name
}

// examples have one right value of each field that is an array or an object.
var examples = map[string]string{
	"recipients":   `"recipients": [{"email": "ada@example.org", "name": "Ada"}]`,
	"ccs":          `"ccs": [{"email": "ada@example.org", "name": "Ada"}]`,
	"bccs":         `"bccs": [{"email": "archive@example.com"}]`,
	"sender":       `"sender": {"email": "billing@example.com", "name": "Billing"}`,
	"replyto":      `"replyto": [{"email": "help@example.com", "name": "Help desk"}]`,
	"headers":      `"headers": {"X-Ticket": "4711"}`,
	"tags":         `"tags": {"campaign": "news"}`,
	"placeholders": `"placeholders": [{"name": "NAME", "value": "Ada"}]`,
	"attachments":  `"attachments": [{"url": "https://www.example.com/a.pdf", "filename": "a.pdf"}]`,
	"config":       `"config": ["noconversion"]`,
}

// checkNames refuses the fields that [Mail.refuses] has found.
func (m *Mail) checkNames(f *api.Faults) {
	for _, name := range m.Refused {
		f.AddTo(api.Brief(name), "%s", refusal(name))
	}
}

// plainPath reduces a path to what all spellings share, see [api.FoldName]. Indices go, too, and the lists of mailboxes
// share one name: ccs[0].Address becomes mailbox.address.
func plainPath(path string) string {
	inIndex := false
	plain := api.FoldName(strings.Map(func(c rune) rune {
		switch {
		case c == '[':
			inIndex = true
		case c == ']':
			inIndex = false
		case !inIndex:
			return c
		}
		return -1
	}, path))
	list, field, _ := strings.Cut(plain, ".")
	switch {
	case field == "":
		return plain
	case list == "recipients", list == "ccs", list == "bccs", list == "sender", list == "replyto":
		return "mailbox." + field
	}
	return plain
}
