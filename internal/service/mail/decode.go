package mail

import (
	"maps"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
)

// decode parses the body as a JSON object. It refuses a large body unread, because anybody may send one before the key
// is checked. The fields themselves are decoded after authentication.
func decode(r *api.Request) (body []byte, fields *api.Object, err error) {
	body, err = r.Bytes()
	if err != nil {
		return nil, nil, err
	}
	if len(body) > MaxBody {
		return nil, nil, delivery.Rejectf(TooLarge,
			"the request is too large: it has %d bytes; at most %d are allowed", len(body), MaxBody)
	}
	fields, err = r.ParseObject(body)
	return body, fields, err
}

// decodeMail reads a mail from the fields of a request. Null and the empty string count as not given. The error names
// the first field of a wrong type. An unknown field is no error here; it becomes a fault or a warning later.
func decodeMail(o *api.Object) (*Mail, error) {
	o.Show(examples)
	recipients := o.Objects("recipients")
	m := &Mail{
		Recipients: mailboxes(recipients),
		CCs:        mailboxes(o.Objects("ccs")),
		BCCs:       mailboxes(o.Objects("bccs")),
		ReplyTo:    mailboxes(o.Objects("replyto")),
		Headers:    nonEmpty(o.StringMap("headers")),
		Tags:       nonEmpty(o.StringMap("tags")),
		Subject:    o.String("subject"),
		List:       o.String("list"),
		HTML:       Source{String: o.String("html"), URL: o.String("htmlurl")},
		Text:       Source{String: o.String("text"), URL: o.String("texturl")},
	}
	m.takeSubject()
	if sender := o.Object("sender"); sender != nil {
		m.Sender = &mailboxes([]*api.Object{sender})[0]
	}
	for _, a := range o.Objects("attachments") {
		m.Attachments = append(m.Attachments, Attachment{
			URL: a.String("url"), Content: a.Bytes("content"),
			Filename: a.String("filename"), Type: a.String("type"), CID: a.String("cid"),
		})
	}
	m.Placeholders = placeholders(o)
	for _, r := range recipients {
		m.PerRecipient = append(m.PerRecipient, placeholders(r))
	}
	for _, s := range o.Strings("config") {
		m.Switches = append(m.Switches, Switch(s))
	}
	m.Refused = o.Claim(m.refuses) // last: it looks at the fields that nothing above has read
	return m, o.Err()
}

// mailboxes reads a list of mailboxes. Their addresses are still as the client wrote them. Names lose invisible
// characters at their ends: they are shown and not compared, so no mail has to fail for them.
func mailboxes(objects []*api.Object) []compose.Mailbox {
	var list []compose.Mailbox
	for _, o := range objects {
		list = append(list, compose.Mailbox{Address: o.String("email"), Name: invisible.CutEnds(o.String("name"))})
	}
	return list
}

// placeholders reads the placeholders of a mail or of one recipient. Names are compared in upper case. A value may be a
// number, such as a price or a year.
func placeholders(o *api.Object) []Placeholder {
	var list []Placeholder
	for _, p := range o.Objects("placeholders") {
		list = append(list, Placeholder{Name: strings.ToUpper(p.String("name")), Value: p.StringOrNumber("value")})
	}
	return list
}

// nonEmpty deletes the empty strings from a map: they count as not given.
func nonEmpty(values map[string]string) map[string]string {
	maps.DeleteFunc(values, func(_, value string) bool { return value == "" })
	return values
}
