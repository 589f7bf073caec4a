package doctor

import (
	"cmp"
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// examineDKIM checks that mail is signed, with a key that is long enough: Gmail accepts 1,024 bits, and advises 2,048.
func (d *Doctor) examineDKIM(
	ctx context.Context, dns resolver, identity string, dkim *types.DkimAttributes,
) authentication {
	subject := "DKIM of " + identity
	switch {
	case dkim == nil || dkim.Status != types.DkimStatusSuccess:
		mend, records := d.publish(identity, dkim)
		f := missing(subject, mend, "its records were not found: receivers take its mail for spam")
		f.Records = records
		return authentication{Finding: withSources(f)}
	case !dkim.SigningEnabled:
		return authentication{Finding: withSources(missing(subject,
			d.aws("sesv2 put-email-identity-dkim-attributes --signing-enabled --email-identity "+quote(identity)),
			"mail is not signed"))}
	}
	return authentication{withSources(d.examineKey(ctx, dns, subject, identity, dkim)), domainOf(identity)}
}

// examineKey examines the length of the key that signs. SES tells the length of its own keys; for other keys the DNS
// has it.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_DkimAttributes.html
func (d *Doctor) examineKey(
	ctx context.Context, dns resolver, subject, identity string, dkim *types.DkimAttributes,
) Finding {
	if dkim.SigningAttributesOrigin == types.DkimSigningAttributesOriginExternal && len(dkim.Tokens) > 0 {
		return d.examineOwnKey(ctx, dns, subject, identity, dkim.Tokens[0])
	}
	switch long := types.DkimSigningKeyLengthRsa2048Bit; {
	case dkim.CurrentSigningKeyLength == long:
		return right(subject, "mail is signed with a key of 2048 bits")
	case dkim.CurrentSigningKeyLength == "":
		return unknown(subject, d.aws("sesv2 get-email-identity --email-identity "+quote(domainOf(identity))),
			"mail is signed with a key of which SES does not tell the length")
	case dkim.NextSigningKeyLength == long:
		return right(subject, "mail is signed with a key of 1024 bits, which SES will replace by one of 2048")
	}
	return advice(subject,
		d.aws("sesv2 put-email-identity-dkim-signing-attributes --signing-attributes-origin AWS_SES"+
			" --signing-attributes NextSigningKeyLength=RSA_2048_BIT --email-identity "+quote(identity)),
		"mail is signed with a key of 1024 bits, which is the least that receivers take")
}

// examineOwnKey examines a key that the sender made and published.
func (d *Doctor) examineOwnKey(ctx context.Context, dns resolver, subject, identity, selector string) Finding {
	name := selector + "._domainkey." + domainOf(identity)
	texts, err := dns.texts(ctx, name)
	if err != nil {
		return dnsSilent(subject, err)
	}
	if len(texts) != 1 {
		return missing(subject, do("publish the public key as the only TXT record "+name+"."),
			"%s has %d TXT records: receivers want one", name, len(texts))
	}
	bits, err := keyLength(texts[0])
	renew := d.aws("sesv2 put-email-identity-dkim-signing-attributes --signing-attributes-origin EXTERNAL" +
		" --signing-attributes 'file://<its selector and private key, as JSON>' --email-identity " +
		quote(identity)).after("publish another key, of 2048 bits, and sign with it")
	switch {
	case err != nil:
		return missing(subject, renew, "%s has no key that receivers can read: %v", name, err)
	case bits < 1024:
		return missing(subject, renew, "mail is signed with a key of %d bits: receivers want 1024 at least", bits)
	case bits < 2048:
		return advice(subject, renew, "mail is signed with a key of %d bits: receivers advise 2048", bits)
	}
	return right(subject, "mail is signed with a key of %d bits", bits)
}

// keyLength returns the length, in bits, of the RSA key in a DKIM record. RFC 6376 section 3.6.1
func keyLength(record string) (int, error) {
	der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(tags(record)["p"]), ""))
	if err != nil {
		return 0, err
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return 0, err
	}
	public, ok := key.(*rsa.PublicKey)
	if !ok {
		return 0, fmt.Errorf("it is %T, and SES signs with RSA", key)
	}
	return public.N.BitLen(), nil
}

// publish returns the DNS records by which an identity signs, and by which a domain is verified. If SES has no
// records yet, it returns the command that makes them.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_DkimAttributes.html
func (d *Doctor) publish(identity string, dkim *types.DkimAttributes) (m mend, records []string) {
	switch {
	case strings.Contains(identity, "@"): // an address is signed for its domain
		return d.aws("sesv2 create-email-identity --email-identity " + quote(domainOf(identity))), nil
	case dkim == nil || len(dkim.Tokens) == 0:
		return d.aws("sesv2 put-email-identity-dkim-signing-attributes --signing-attributes-origin AWS_SES" +
			" --email-identity " + quote(identity)), nil
	case dkim.SigningAttributesOrigin == types.DkimSigningAttributesOriginExternal:
		record := dkim.Tokens[0] + "._domainkey." + identity + "."
		return do("publish your own public key as the TXT record " + record), nil
	}
	zone := strings.TrimSuffix(cmp.Or(aws.ToString(dkim.SigningHostedZone), "dkim.amazonses.com"), ".")
	for _, token := range dkim.Tokens {
		records = append(records, token+"._domainkey."+identity+". CNAME "+token+"."+zone+".")
	}
	return do("publish these records"), records
}
