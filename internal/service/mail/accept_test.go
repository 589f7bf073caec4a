package mail_test

import (
	"net/http"
	"net/mail"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// TestTheKeySaysWhoTheSenderMayBe shows the order of senders (the mail's, the key's, the service's), and that the key
// must allow them. Addresses are compared without regard to case, and domains in punycode.
func TestTheKeySaysWhoTheSenderMayBe(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			key     mailkey.Key
			service string // DEFAULT_SENDER
			sender  any
			from    string // header
			refusal string
		}{
			"the mail's": {
				key: mailkey.Key{From: []string{"example.com"}}, sender: object{"email": "a@example.com", "name": "A"},
				from: `A <a@example.com>`,
			},
			"the mail's, before the key's": {
				key:    mailkey.Key{Sender: mail.Address{Address: "k@example.com"}},
				sender: object{"email": "a@example.com"}, from: "a@example.com",
			},
			"the key's": {
				key:     mailkey.Key{Sender: mail.Address{Address: "k@example.com", Name: "Këy"}},
				service: "d@example.net", from: "Këy <k@example.com>",
			},
			"the service's": {
				key:     mailkey.Key{From: []string{"example.net"}},
				service: "Desk <d@example.net>", from: "Desk <d@example.net>",
			},
			// A default is no permission: the operator who made this key meant example.com alone.
			"the service's, as which the key may not send": {
				key: mailkey.Key{From: []string{"example.com"}}, service: "Desk <d@example.net>",
				refusal: "sender is missing, and the service's default one is not one that this key may send as; " +
					"it may send as example.com",
			},
			// Domains are compared as A-labels (RFC 5890 section 2.3.2.1), in whichever script the operator wrote them.
			"the service's in Unicode, by a key in punycode": {
				key: mailkey.Key{From: []string{"d@xn--bcher-kva.example"}}, service: "D@bücher.example",
				from: "D@xn--bcher-kva.example",
			},
			"none": {key: mailkey.Key{From: []string{"example.com"}}, refusal: "sender is missing"},
			// Rules are compared without regard to case. The local part goes out as it was given: its case may matter
			// to its server (RFC 5321 section 2.4).
			"an address that the key may send as": {
				key: mailkey.Key{From: []string{"a@example.com"}}, sender: object{"email": "A@EXAMPLE.com"},
				from: "A@example.com",
			},
			"another address of that domain": {
				key: mailkey.Key{From: []string{"a@example.com"}}, sender: object{"email": "b@example.com"},
				refusal: "it may send as a@example.com",
			},
			"any": {
				key: mailkey.Key{From: []string{"*"}}, sender: object{"email": "b@example.net"}, from: "b@example.net",
			},
			"a domain in punycode": {
				key: mailkey.Key{From: []string{"bücher.example"}}, sender: object{"email": "b@xn--bcher-kva.example"},
				from: "b@xn--bcher-kva.example",
			},
			// The domain of a key's own sender is a rule as well, where the key has no others.
			"beside the key's own sender, another domain": {
				key:    mailkey.Key{Sender: mail.Address{Address: "k@example.com"}},
				sender: object{"email": "k@example.net"}, refusal: "it may send as example.com",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t, defaultSender(c.service))
				c.key.Name = name
				_, key := s.NewMailKey(t, c.key)
				m := s.mail(object{"key": key, "sender": c.sender})
				if c.refusal != "" {
					s.mustRefuse(t, m, http.StatusOK, c.refusal)
					return
				}
				got, _ := s.mustSend(t, m)
				if from, err := got.header.Text("From"); err != nil || from != c.from {
					t.Errorf("From %q, %v; want %q", from, err, c.from)
				}
				expect.Contains(t, c.from, got.from)
				// The envelope takes a bare address, without name and brackets.
				expect.Equal(t, strings.ContainsAny(got.from, "<> "), false, `got.from has any of "<> "`)
			})
		}
	})
}

// TestPHPsEmptyArrays: an empty array counts as an empty object, because PHP's json_encode writes an empty object as
// []. The body itself must still be an object.
func TestPHPsEmptyArrays(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		careless := contracttest.Careless(http.Header{}) // the contract does not tell clients to send them
		r := s.post(t, careless, s.mail(object{"headers": array{}, "tags": array{}}))
		r.Is(t, http.StatusOK, object{"status": "success", "warning": nil})
		r = s.post(t, careless, s.mail(object{"sender": array{}}))
		r.Is(t, http.StatusOK, object{"status": "error", "code": "invalid"})
		expect.Contains(t, r.Error, "sender.email")
		s.post(t, nil, "[]").Is(t, http.StatusBadRequest, object{"error": "body must be one JSON object"})
	})
}
