package doctor

import (
	"cmp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

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
