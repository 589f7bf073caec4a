package doctor

import (
	"context"
	"errors"
	"net"
	"strings"
)

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
