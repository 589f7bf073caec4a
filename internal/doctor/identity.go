package doctor

import (
	"context"
	"errors"
	"net"
	"net/mail"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// examineIdentities looks at what mail is sent as.
func (d *Doctor) examineIdentities(ctx context.Context, defaultSender string) (findings []Finding) {
	senders := slices.Clone(d.Senders)
	if a, err := mail.ParseAddress(defaultSender); err == nil {
		senders = append(senders, a.Address)
	}
	slices.Sort(senders)
	senders = slices.Compact(senders)
	if len(senders) == 0 {
		return []Finding{missing("senders", "frontdesk mail-key create --name <name> --sender 'Name <address>'",
			"there is no mail key, and no DefaultSender: nothing can be sent")}
	}
	var domains []string
	for _, sender := range senders {
		findings = append(findings, d.examineIdentity(ctx, sender)...)
		if domain := domainOf(sender); !slices.Contains(domains, domain) {
			domains = append(domains, domain)
			findings = append(findings, d.examineDMARC(ctx, domain))
		}
	}
	return findings
}

func domainOf(sender string) string { return sender[strings.LastIndexByte(sender, '@')+1:] }

// examineIdentity looks at the identity of a sender, an address or a domain: of an address its own, else its domain's.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetEmailIdentity.html
func (d *Doctor) examineIdentity(ctx context.Context, sender string) []Finding {
	subject, identity := "identity "+sender, sender
	out, err := d.SES.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: &identity})
	if _, absent := errors.AsType[*types.NotFoundException](err); absent && domainOf(sender) != sender {
		identity = domainOf(sender)
		out, err = d.SES.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: &identity})
	}
	if _, absent := errors.AsType[*types.NotFoundException](err); absent {
		return []Finding{missing(subject, "aws sesv2 create-email-identity --email-identity "+identity,
			"SES knows neither it nor its domain in this region")}
	}
	if err != nil {
		return []Finding{unread(subject, "ses:GetEmailIdentity", err)}
	}
	findings := []Finding{right(subject, "%s is verified", identity)}
	if !out.VerifiedForSendingStatus {
		findings[0] = missing(subject, "aws sesv2 get-email-identity --email-identity "+identity,
			"%s is not verified (%s): publish the records that SES shows, or follow the link that it mailed",
			identity, out.VerificationStatus)
	}
	return append(findings, examineDKIM(identity, out.DkimAttributes))
}

func examineDKIM(identity string, dkim *types.DkimAttributes) Finding {
	subject := "DKIM of " + identity
	switch {
	case dkim == nil || dkim.Status != types.DkimStatusSuccess:
		var names []string
		if dkim != nil {
			for _, token := range dkim.Tokens {
				names = append(names, token+"._domainkey")
			}
		}
		return missing(subject, "publish the CNAME records of: aws sesv2 get-email-identity --email-identity "+identity,
			"its records were not found %v: receivers take its mail for spam", names)
	case !dkim.SigningEnabled:
		return missing(subject, "aws sesv2 put-email-identity-dkim-attributes --signing-enabled --email-identity "+identity,
			"mail is not signed")
	}
	return right(subject, "mail is signed")
}

// examineDMARC looks the policy of a domain up, or of the domain above it (RFC 7489 section 6.6.3; which domain is the
// organizational one is not known here, so every one above is asked).
func (d *Doctor) examineDMARC(ctx context.Context, domain string) Finding {
	subject := "DMARC of " + domain
	for name := domain; strings.Contains(name, "."); _, name, _ = strings.Cut(name, ".") {
		records, err := d.LookupTXT(ctx, "_dmarc."+name)
		if dns, ok := errors.AsType[*net.DNSError](err); err != nil && !(ok && dns.IsNotFound) {
			return missing(subject, "look again", "it could not be looked up: %v", err)
		}
		for _, record := range records {
			if strings.HasPrefix(record, "v=DMARC1") {
				return right(subject, "_dmarc.%s says %s", name, record)
			}
		}
	}
	return missing(subject, `publish a TXT record: _dmarc.`+domain+` "v=DMARC1; p=none; rua=mailto:postmaster@`+domain+`"`,
		"there is no policy: large receivers want one")
}
