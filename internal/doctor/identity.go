package doctor

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/mail"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	dynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// senders are what mail is sent as, in order: each address once, its domain in lower case.
func (d *Doctor) senders(ctx context.Context, s *stack) (senders []string, findings []Finding) {
	if table := s.outputs["TableName"]; table != "" {
		var err error
		senders, err = d.Senders(ctx, table)
		if _, absent := errors.AsType[*dynamodb.ResourceNotFoundException](err); err != nil && !absent {
			findings = append(findings, unread("mail keys", "dynamodb:Query and dynamodb:BatchGetItem", err))
		} else if err == nil && len(senders) == 0 {
			where := "--stack " + d.Stack
			if d.Local {
				where = "--local"
			}
			findings = append(findings, missing("mail keys",
				"frontdesk "+where+" mail-key create --name '<name>' --sender 'Name <address>'",
				"there is none: nothing can be sent"))
		}
	}
	senders = slices.DeleteFunc(senders, func(sender string) bool { return sender == Any })
	if given := s.parameters["DefaultSender"]; given != "" {
		a, err := mail.ParseAddress(given)
		if err != nil {
			mend := s.update("DefaultSender", "Name <address>")
			if d.Local {
				mend = "make run again with another default of it in template.yaml, such as Name <address>"
			}
			return senders, append(findings, missing("DefaultSender", mend, "%s is not an address", given))
		}
		senders = append(senders, a.Address)
	}
	for i, sender := range senders {
		domain := domainOf(sender)
		senders[i] = strings.TrimSuffix(sender, domain) + strings.ToLower(domain)
	}
	slices.Sort(senders)
	return slices.Compact(senders), findings
}

// examineIdentities looks at what mail is sent as, at each identity and each domain once.
func (d *Doctor) examineIdentities(ctx context.Context, senders []string) (findings []Finding) {
	seen := map[string]bool{}
	once := func(examined ...Finding) {
		for _, f := range examined {
			if !seen[f.Subject] {
				seen[f.Subject] = true
				findings = append(findings, f)
			}
		}
	}
	for _, sender := range senders {
		once(d.examineIdentity(ctx, sender)...)
		if domain := domainOf(sender); !seen["DMARC of "+domain] {
			once(d.examineDMARC(ctx, domain))
		}
	}
	return findings
}

func domainOf(sender string) string { return sender[strings.LastIndexByte(sender, '@')+1:] }

// examineIdentity looks at the identity by which SES lets a sender send: that of the address, else of its domain, else
// of a domain above it.
// https://docs.aws.amazon.com/ses/latest/dg/creating-identities.html
func (d *Doctor) examineIdentity(ctx context.Context, sender string) []Finding {
	domain := domainOf(sender)
	identities := []string{sender}
	for name := domain; strings.Contains(name, "."); _, name, _ = strings.Cut(name, ".") {
		identities = append(identities, name)
	}
	for _, identity := range slices.Compact(identities) {
		out, err := d.SES.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: &identity})
		if _, absent := errors.AsType[*types.NotFoundException](err); absent {
			continue
		}
		if err != nil {
			return []Finding{unread("identity "+sender, "ses:GetEmailIdentity", err)}
		}
		subject := "identity " + identity
		if !out.VerifiedForSendingStatus {
			f := missing(subject, "follow the link in the mail that SES sent to it",
				"it is not verified (%s): SES refuses its mail", out.VerificationStatus)
			if !strings.Contains(identity, "@") {
				f.Mend, f.Records = d.publish(identity, out.DkimAttributes)
			}
			return []Finding{f}
		}
		return []Finding{right(subject, "it is verified"), d.examineDKIM(identity, out.DkimAttributes)}
	}
	return []Finding{missing("identity "+sender, d.aws("sesv2 create-email-identity --email-identity "+quote(domain)),
		"SES knows neither it nor a domain of it in this region")}
}

func (d *Doctor) examineDKIM(identity string, dkim *types.DkimAttributes) Finding {
	subject := "DKIM of " + identity
	switch {
	case dkim == nil || dkim.Status != types.DkimStatusSuccess:
		f := missing(subject, "", "its records were not found: receivers take its mail for spam")
		f.Mend, f.Records = d.publish(identity, dkim)
		return f
	case !dkim.SigningEnabled:
		return missing(subject,
			d.aws("sesv2 put-email-identity-dkim-attributes --signing-enabled --email-identity "+quote(identity)),
			"mail is not signed")
	}
	return right(subject, "mail is signed")
}

// publish gives the records by which an identity signs, and is verified where it is a domain; or the command by which
// SES has some.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_DkimAttributes.html
func (d *Doctor) publish(identity string, dkim *types.DkimAttributes) (mend string, records []string) {
	switch {
	case strings.Contains(identity, "@"): // an address has the signature of its domain
		return d.aws("sesv2 create-email-identity --email-identity " + quote(domainOf(identity))), nil
	case dkim == nil || len(dkim.Tokens) == 0:
		return d.aws("sesv2 put-email-identity-dkim-signing-attributes --signing-attributes-origin AWS_SES" +
			" --email-identity " + quote(identity)), nil
	case dkim.SigningAttributesOrigin == types.DkimSigningAttributesOriginExternal:
		return "publish your own public key as the TXT record " + dkim.Tokens[0] + "._domainkey." + identity + ".", nil
	}
	zone := strings.TrimSuffix(cmp.Or(aws.ToString(dkim.SigningHostedZone), "dkim.amazonses.com"), ".")
	for _, token := range dkim.Tokens {
		records = append(records, token+"._domainkey."+identity+". CNAME "+token+"."+zone+".")
	}
	return "publish these records", records
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
	f := missing(subject, "publish this record", "there is no policy: large receivers want one")
	f.Records = []string{`_dmarc.` + domain + `. TXT "v=DMARC1; p=none; rua=mailto:postmaster@` + domain + `"`}
	return f
}
