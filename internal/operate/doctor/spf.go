package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// examineSPF examines the domain in the envelope of an identity's mails, because SPF checks that one. SES's own
// domain passes, but aligns with no sender's.
// https://docs.aws.amazon.com/ses/latest/dg/mail-from.html
func (d *Doctor) examineSPF(
	ctx context.Context, dns resolver, identity string, from *types.MailFromAttributes,
) authentication {
	subject := "SPF of " + identity
	if from == nil || aws.ToString(from.MailFromDomain) == "" {
		return authentication{Finding: withSources(advice(subject,
			d.aws("sesv2 put-email-identity-mail-from-attributes --email-identity "+quote(identity)+
				" --mail-from-domain "+quote("bounce."+domainOf(identity))),
			"it has no MAIL FROM domain: SPF passes for SES's amazonses.com, and DMARC depends only on DKIM"))}
	}
	domain := *from.MailFromDomain
	mx := domain + ". MX 10 feedback-smtp." + string(d.region) + ".amazonses.com."
	txt := domain + `. TXT "v=spf1 include:amazonses.com ~all"`
	if from.MailFromDomainStatus != types.MailFromDomainStatusSuccess {
		says := "SES has not found the MX record of %s (%s): SPF only passes for SES's amazonses.com"
		if from.BehaviorOnMxFailure == types.BehaviorOnMxFailureRejectMessage {
			says = "SES has not found the MX record of %s (%s), and refuses its mail"
		}
		f := missing(subject, do("publish these records"), says, domain, from.MailFromDomainStatus)
		f.Records = []string{mx, txt}
		return authentication{Finding: withSources(f)}
	}
	records, err := dns.records(ctx, domain, "v=spf1")
	if err != nil {
		return authentication{dnsSilent(subject, err), domain}
	}
	says := ""
	switch {
	case len(records) == 0:
		says = "%s has no SPF record"
	case len(records) > 1:
		says = "%s has several SPF records, of which receivers take none"
	case includesSES(records[0]):
		return authentication{withSources(right(subject, "%s says %s", domain, records[0])), domain}
	case refers(records[0]):
		return authentication{withSources(unknown(subject, do("look there whether they include amazonses.com"),
			"the SPF record of %s refers to others: %s", domain, records[0])), domain}
	default:
		says = "the SPF record of %s does not include amazonses.com, which sends"
	}
	f := missing(subject, do("publish this record, and no other of SPF"), says, domain)
	f.Records = []string{txt}
	return authentication{Finding: withSources(f)}
}

// refers reports whether a record leaves the decision to other records.
func refers(record string) bool {
	return slices.ContainsFunc(considered(record), func(term string) bool {
		return strings.HasPrefix(term, "redirect=") || strings.HasPrefix(term, "include:")
	})
}

// includesSES reports whether a record lets SES's servers send.
func includesSES(record string) bool {
	return slices.Contains(considered(record), "include:amazonses.com")
}

// considered returns the terms of a record that receivers evaluate, in lower case and without the optional "+". Terms
// after "all" do not count.
func considered(record string) (terms []string) {
	for term := range strings.FieldsSeq(strings.ToLower(record)) {
		if strings.TrimLeft(term, "+-~?") == "all" {
			break
		}
		terms = append(terms, strings.TrimPrefix(term, "+"))
	}
	return terms
}
