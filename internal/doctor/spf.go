package doctor

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// examineSPF looks at the domain in the envelope of an identity's mail, of which SPF decides. SES's own passes, and is
// aligned with nobody's.
// https://docs.aws.amazon.com/ses/latest/dg/mail-from.html
func (d *Doctor) examineSPF(
	ctx context.Context, dns resolver, identity string, from *types.MailFromAttributes,
) authentication {
	subject := "SPF of " + identity
	if from == nil || aws.ToString(from.MailFromDomain) == "" {
		return authentication{Finding: wanted(advice(subject,
			d.aws("sesv2 put-email-identity-mail-from-attributes --email-identity "+quote(identity)+
				" --mail-from-domain "+quote("bounce."+domainOf(identity))),
			"it has no MAIL FROM domain: SPF passes for SES's amazonses.com, and DMARC hangs on DKIM alone"))}
	}
	domain := *from.MailFromDomain
	mx := domain + ". MX 10 feedback-smtp." + string(d.region) + ".amazonses.com."
	txt := domain + `. TXT "v=spf1 include:amazonses.com ~all"`
	if from.MailFromDomainStatus != types.MailFromDomainStatusSuccess {
		says := "SES has not found the MX record of %s (%s): SPF passes for SES's amazonses.com alone"
		if from.BehaviorOnMxFailure == types.BehaviorOnMxFailureRejectMessage {
			says = "SES has not found the MX record of %s (%s), and refuses its mail"
		}
		f := missing(subject, "publish these records", says, domain, from.MailFromDomainStatus)
		f.Records = []string{mx, txt}
		return authentication{Finding: wanted(f)}
	}
	records, err := dns.records(ctx, domain, "v=spf1")
	if err != nil {
		return authentication{unasked(subject, err), domain}
	}
	says := ""
	switch {
	case len(records) == 0:
		says = "%s has no SPF record"
	case len(records) > 1:
		says = "%s has several SPF records, of which receivers take none"
	case !includesSES(records[0]):
		says = "the SPF record of %s does not include amazonses.com, which sends"
	default:
		return authentication{wanted(right(subject, "%s says %s", domain, records[0])), domain}
	}
	f := missing(subject, "publish this record, and no other of SPF", says, domain)
	f.Records = []string{txt}
	return authentication{Finding: wanted(f)}
}

// includesSES tells whether a record lets SES's servers send. What stands behind "all" does not count.
// RFC 7208 section 5.1
func includesSES(record string) bool {
	for term := range strings.FieldsSeq(strings.ToLower(record)) {
		switch strings.TrimPrefix(term, "+") {
		case "include:amazonses.com":
			return true
		case "all", "-all", "~all", "?all":
			return false
		}
	}
	return false
}
