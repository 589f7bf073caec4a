package doctor

import (
	"context"
	"errors"
	"net/mail"
	"slices"
	"strings"

	dynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// senders returns the addresses and domains that mails are sent as, sorted: each once, with its domain in lower case.
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
				mend{command: "frontdesk " + where + " mail-key create --name '<name>' --sender 'Name <address>'"},
				"there is none: nothing can be sent"))
		}
	}
	senders = slices.DeleteFunc(senders, func(sender string) bool { return sender == Any })
	if given := s.parameters["DefaultSender"]; given != "" {
		a, err := mail.ParseAddress(given)
		if err != nil {
			return senders, append(findings,
				missing("DefaultSender", d.setDefaultSender(), "%s is not an address", given))
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

// setDefaultSender is how the stack gets another default sender.
func (d *Doctor) setDefaultSender() mend {
	if d.Local {
		return do("make run again with another default of it in template.yaml, such as Name <address>")
	}
	return d.update("DefaultSender", "Name <address>")
}

// examineIdentities examines what mails are sent as: each identity and each domain once.
func (d *Doctor) examineIdentities(ctx context.Context, senders []string) (findings []Finding) {
	dns := resolver{d.LookupTXT, map[string]answer{}}
	seen := map[string]bool{}
	once := func(f Finding) {
		if !seen[f.Subject] {
			seen[f.Subject] = true
			findings = append(findings, f)
		}
	}
	for _, sender := range senders {
		identity, output, finding := d.findIdentity(ctx, sender)
		once(finding)
		domain := domainOf(sender)
		policy, dmarc := examineDMARC(ctx, dns, domain)
		if output == nil {
			once(dmarc)
			continue
		}
		dkim := d.examineDKIM(ctx, dns, identity, output.DkimAttributes)
		spf := d.examineSPF(ctx, dns, identity, output.MailFromAttributes)
		once(dkim.Finding)
		once(spf.Finding)
		once(dmarc)
		if policy != nil {
			once(d.examineAlignment(*policy, domain, identity, dkim, spf))
		}
	}
	if len(senders) > 0 {
		findings = append(findings, unverifiableDemands()...)
	}
	return findings
}

func domainOf(sender string) string { return sender[strings.LastIndexByte(sender, '@')+1:] }

// findIdentity finds the identity by which SES lets a sender send: the address, else its domain, else a domain above
// it. SES's answer is nil if the identity cannot send.
// https://docs.aws.amazon.com/ses/latest/dg/creating-identities.html
func (d *Doctor) findIdentity(
	ctx context.Context, sender string,
) (identity string, output *sesv2.GetEmailIdentityOutput, finding Finding) {
	domain := domainOf(sender)
	for _, identity := range slices.Compact(append([]string{sender}, upwards(domain)...)) {
		out, err := d.SES.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: &identity})
		if _, absent := errors.AsType[*types.NotFoundException](err); absent {
			continue
		}
		if err != nil {
			return "", nil, unread("identity "+sender, "ses:GetEmailIdentity", err)
		}
		subject := "identity " + identity
		if !out.VerifiedForSendingStatus {
			mend, records := do("follow the link in the mail that SES sent to it"), []string(nil)
			if !strings.Contains(identity, "@") {
				mend, records = d.publish(identity, out.DkimAttributes)
			}
			f := missing(subject, mend, "it is not verified (%s): SES refuses its mail", out.VerificationStatus)
			f.Records = records
			return identity, nil, f
		}
		return identity, out, right(subject, "it is verified")
	}
	return "", nil, missing("identity "+sender, d.aws("sesv2 create-email-identity --email-identity "+quote(domain)),
		"SES knows neither it nor a domain of it in this region")
}

// upwards returns a domain and those above it, without the top-level domain.
func upwards(domain string) (names []string) {
	for name := domain; strings.Contains(name, "."); _, name, _ = strings.Cut(name, ".") {
		names = append(names, name)
	}
	return names
}
