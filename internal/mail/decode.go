package mail

import (
	"maps"
	"strings"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/rejection"
)

// decode reads a request's body, whose fields nobody has asked for yet.
func decode(r *api.Request) (*request, error) {
	q := &request{Request: r, start: time.Now()}
	var err error
	if q.body, err = r.Bytes(); err != nil {
		return nil, err
	}
	q.fields, err = api.ParseObject(q.body)
	return q, err
}

// decodeMail reads a mail from the fields of a request. The error is the first field of a wrong type. What is null
// or an empty string counts as not given, and fields that do not exist are the warnings' matter.
func decodeMail(o *api.Object) (*Mail, error) {
	m := &Mail{
		Recipients: mailboxes(o.Objects("recipients")),
		CCs:        mailboxes(o.Objects("ccs")),
		BCCs:       mailboxes(o.Objects("bccs")),
		ReplyTo:    mailboxes(o.Objects("replyto")),
		Headers:    given(o.StringMap("headers")),
		Tags:       given(o.StringMap("tags")),
		Subject:    o.String("subject"),
		HTML:       Source{String: o.String("html"), URL: o.String("htmlurl")},
		Text:       Source{String: o.String("text"), URL: o.String("texturl")},
	}
	if sender := o.Object("sender"); sender != nil {
		m.Sender = &mailboxes([]*api.Object{sender})[0]
	}
	for _, a := range o.Objects("attachments") {
		m.Attachments = append(m.Attachments, Attachment{
			URL: a.String("url"), Content: a.Bytes("content"), Filename: a.String("filename"), CID: a.String("cid"),
		})
	}
	for _, p := range o.Objects("placeholders") {
		m.Placeholders = append(m.Placeholders, Placeholder{Name: strings.ToUpper(p.String("name")), Value: p.String("value")})
	}
	for _, s := range o.Strings("config") {
		m.Switches = append(m.Switches, Switch(s))
	}
	return m, o.Err()
}

func mailboxes(objects []*api.Object) []compose.Mailbox {
	var list []compose.Mailbox
	for _, o := range objects {
		list = append(list, compose.Mailbox{Address: o.String("email"), Name: o.String("name")})
	}
	return list
}

// given is a map without what was not given.
func given(values map[string]string) map[string]string {
	maps.DeleteFunc(values, func(_, value string) bool { return value == "" })
	return values
}

// unknownFields warns of each field that does not exist: a misspelt one would otherwise go unnoticed.
func unknownFields(o *api.Object) []string {
	var warnings []string
	for _, path := range o.Unknown() {
		if len(warnings) == maxListed {
			return append(warnings, "further unknown fields are ignored")
		}
		warnings = append(warnings, "unknown field "+rejection.Brief(path)+" is ignored")
	}
	return warnings
}
