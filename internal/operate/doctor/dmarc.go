package doctor

import (
	"context"
	"slices"
	"strings"
)

// dmarcPolicy is what a domain's DMARC record asks of receivers.
type dmarcPolicy struct {
	organization string // the organizational domain (RFC 9989): domains under it belong together
	tags         map[string]string
}

// examineDMARC finds the policy of a domain: its own, else that of its organization. The policy is nil if there is
// none, or if the DNS could not be asked. RFC 9989 section 4.10
func examineDMARC(ctx context.Context, dns resolver, domain string) (*dmarcPolicy, Finding) {
	subject := "DMARC of " + domain
	found, organization := map[string]string{}, domain
	names := queried(domain)
	for i, name := range names {
		records, err := dns.records(ctx, "_dmarc."+name, "v=DMARC1")
		if err != nil {
			return nil, dnsSilent(subject, err)
		}
		if len(records) > 1 {
			return nil, withSources(missing(subject, do("publish one"),
				"_dmarc.%s has %d policies: receivers take none", name, len(records)))
		}
		if len(records) == 0 {
			continue
		}
		psd := tags(records[0])["psd"]
		if psd == "y" && i > 0 { // the names below a public suffix are organizations of their own
			organization = names[i-1]
			break
		}
		found[name], organization = records[0], name
		if psd == "n" {
			break
		}
	}
	at := domain
	if found[at] == "" {
		at = organization
	}
	text := found[at]
	if text == "" {
		f := missing(subject, do("publish this record"), "there is no policy: large receivers want one")
		f.Records = []string{`_dmarc.` + domain + `. TXT "v=DMARC1; p=none; rua=mailto:postmaster@` + domain + `"`}
		return nil, withSources(f)
	}
	p := dmarcPolicy{organization, tags(text)}
	if !slices.Contains([]string{"none", "quarantine", "reject"}, strings.ToLower(p.tags["p"])) {
		return nil, withSources(missing(subject, do("publish one with p=none, p=quarantine or p=reject"),
			"_dmarc.%s says %s, which has none of them", at, text))
	}
	return &p, withSources(right(subject, "_dmarc.%s says %s", at, text))
}

// queried returns the names at which to look for policies: the domain and those above it. Of a long name it keeps the
// domain and the seven shortest. RFC 9989 section 4.10
func queried(domain string) []string {
	names := append(upwards(domain), domain[strings.LastIndexByte(domain, '.')+1:])
	if len(names) > 8 {
		names = slices.Delete(names, 1, len(names)-7)
	}
	return names
}

// examineAlignment checks that DKIM or SPF passes for the domain that a reader sees in From, as mailboxes demand.
func (d *Doctor) examineAlignment(p dmarcPolicy, from, identity string, dkim, spf authentication) Finding {
	subject := "alignment of " + from
	if strings.Contains(identity, "@") {
		subject = "alignment of " + identity
	}
	byDKIM, bySPF := p.aligns(from, dkim.domain, "adkim"), p.aligns(from, spf.domain, "aspf")
	switch {
	case byDKIM && bySPF && spf.State != Unknown:
		return withSources(right(subject, "%s is in DKIM's signature, and SPF passes for %s", dkim.domain, spf.domain))
	case byDKIM:
		return withSources(right(subject, "%s is in DKIM's signature", dkim.domain))
	case bySPF && spf.State != Unknown:
		return withSources(right(subject, "SPF passes for %s", spf.domain))
	case bySPF:
		return withSources(unknown(subject, do("look again"), "it depends on SPF, for which the DNS gave no answer"))
	case dkim.domain == "":
		return withSources(missing(subject, do("see DKIM of "+identity),
			"neither DKIM nor SPF passes for it: DMARC fails"))
	}
	return withSources(missing(subject, d.aws("sesv2 create-email-identity --email-identity "+quote(from)),
		"the policy does not take DKIM's signature of %s for one of %s: DMARC fails", dkim.domain, from))
}

// aligns reports whether a domain for which DKIM or SPF passes counts for the domain in From. It counts if the two
// are equal or, unless the policy's tag of that name is "s" for strict, belong to the same organization.
func (p dmarcPolicy) aligns(from, passed, tag string) bool {
	if passed == from || strings.EqualFold(p.tags[tag], "s") {
		return passed == from
	}
	return passed == p.organization || strings.HasSuffix(passed, "."+p.organization)
}
