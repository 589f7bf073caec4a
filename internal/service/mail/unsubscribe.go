package mail

import (
	"context"
	"fmt"
	"strings"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/placeholder"
	"frontdesk/internal/service/mail/unsubscribe"
)

// addressPlaceholder is the name of the placeholder for a recipient's unsubscribe link.
const addressPlaceholder = "UNSUBSCRIBE"

// These header fields let a mailbox show an unsubscribe button (RFC 2369 section 3.2, RFC 8058 section 3.1) and tell
// lists apart (RFC 2919). SES's DKIM signature covers them, as RFC 8058 demands.
// https://docs.aws.amazon.com/ses/latest/dg/sending-email-subscription-management.html
const (
	listUnsubscribe     = "List-Unsubscribe"
	listUnsubscribePost = "List-Unsubscribe-Post"
	listID              = "List-Id"
)

// checkUnsubscribe checks the list, and that no placeholder collides with that of the switch.
func (m *Mail) checkUnsubscribe(f *api.Faults) {
	if m.List != "" {
		f.Check("list", unsubscribe.CheckList(m.List))
	}
	if !m.on(Unsubscribe) {
		if m.List != "" {
			f.AddTo("list", "is only allowed with unsubscribe in config")
		}
		return
	}
	if !m.on(Separate) {
		f.AddTo("config", "has unsubscribe without separate: each recipient has an address of his own")
	}
	if m.on(SubjectPlaceholders) {
		address := map[string]bool{addressPlaceholder: true}
		if placeholder.Parse(m.Subject, address).Used[addressPlaceholder] {
			f.AddTo("subject", "must not have {%s}: SES's events, the log of mails and every answer repeat a subject",
				addressPlaceholder)
		}
	}
	m.checkAddressPlaceholder(f, "", m.Placeholders)
	for i, placeholders := range m.PerRecipient {
		m.checkAddressPlaceholder(f, fmt.Sprintf("recipients[%d].", i), placeholders)
	}
}

// checkAddressPlaceholder refuses a client's placeholder that has the name of the link.
func (m *Mail) checkAddressPlaceholder(f *api.Faults, prefix string, list []Placeholder) {
	for i, p := range list {
		if p.Name == addressPlaceholder {
			f.AddTo(fmt.Sprintf("%splaceholders[%d].name", prefix, i),
				"must not be %[1]s with unsubscribe in config: {%[1]s} is the address", addressPlaceholder)
		}
	}
}

// errNoSecret is for a mail key from before the switch: it has no secret to seal links with.
var errNoSecret = delivery.Rejectf(Invalid, "config has unsubscribe, and the mail key was made before there "+
	"was that switch: make a new key, and send with it")

// addUnsubscribeLinks gives each recipient an unsubscribe link, as a placeholder of his own. Base is the address of the
// API. If somebody else gets the recipient's mail, the link unsubscribes nobody.
func (m *Mail) addUnsubscribeLinks(key mailkey.Key, base string) error {
	if !m.on(Unsubscribe) {
		return nil
	}
	if key.Secret == nil {
		return errNoSecret
	}
	sealer, err := unsubscribe.NewSealer(key.ID, key.Secret)
	if err != nil {
		return err
	}
	for i, to := range m.Recipients {
		token := unsubscribe.Redirected
		if !key.Redirect.Redirects(to.Address) {
			token = sealer.Seal(m.List, address.Fold(to.Address))
		}
		link := base + unsubscribe.Path + token
		m.Addresses = append(m.Addresses, link)
		m.PerRecipient[i] = append(m.PerRecipient[i], Placeholder{addressPlaceholder, link})
	}
	return nil
}

// base returns the address of the API: its public one, else the one that AWS gave it. Only the local stack has a port
// or is localhost, and it has no TLS. No header is trusted: whoever sends a request writes the headers, and could put
// links to his own site into the mail.
func (s *Service) base(r *api.Request) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	host := r.RequestContext.DomainName
	if strings.Contains(host, ":") || host == "localhost" {
		return "http://" + host
	}
	return "https://" + host
}

// unsubscribed returns the indices of the recipients who have unsubscribed. Without the switch it reads nothing.
func (s *Service) unsubscribed(ctx context.Context, m *Mail, key mailkey.Key) ([]int, error) {
	if !m.on(Unsubscribe) {
		return nil, nil
	}
	store := unsubscribe.Store{Table: s.Delivery.Table}
	return store.Unsubscribed(ctx, key, m.List, addresses(m.Recipients))
}

// fieldsFor returns the header fields of one recipient's message. With the switch they include his unsubscribe link.
func (m *Mail) fieldsFor(recipient int) []compose.Field {
	fields := m.fields()
	if !m.on(Unsubscribe) {
		return fields
	}
	fields = append(fields, compose.Field{Name: listUnsubscribePost, Value: oneClick})
	if m.List != "" {
		domain := m.Sender.Address[strings.LastIndexByte(m.Sender.Address, '@')+1:]
		fields = append(fields, compose.Field{Name: listID, Value: "<" + m.List + "." + domain + ">"})
	}
	return append(fields, compose.Field{Name: listUnsubscribe, Value: "<" + m.Addresses[recipient] + ">"})
}
