package main

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/operate/doctor"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// sends makes mails come from an address by a faultless identity, in which the test may change something.
func sends(s *account.State, sender, identity string, change func(*sesv2.GetEmailIdentityOutput)) {
	has(s, "DefaultSender", sender)
	known := s.Identity
	s.Identity = func(name string) *sesv2.GetEmailIdentityOutput {
		if strings.HasSuffix(name, "example.com") { // the mail key's
			return known(name)
		}
		if name != identity {
			return nil
		}
		told := known(name)
		if change != nil {
			change(told)
		}
		return told
	}
}

// withoutMailFrom leaves the envelope's domain to SES.
func withoutMailFrom(i *sesv2.GetEmailIdentityOutput) { i.MailFromAttributes = nil }

// withoutMX is a MAIL FROM domain whose MX record SES does not find.
func withoutMX(then types.BehaviorOnMxFailure) func(*sesv2.GetEmailIdentityOutput) {
	return func(i *sesv2.GetEmailIdentityOutput) {
		i.MailFromAttributes.MailFromDomainStatus = types.MailFromDomainStatusFailed
		i.MailFromAttributes.BehaviorOnMxFailure = then
	}
}

// signsWith is a key of SES's own, with its length now and after its next rotation.
func signsWith(now, next types.DkimSigningKeyLength) func(*sesv2.GetEmailIdentityOutput) {
	return func(i *sesv2.GetEmailIdentityOutput) {
		i.DkimAttributes.CurrentSigningKeyLength, i.DkimAttributes.NextSigningKeyLength = now, next
	}
}

// signsByItself is an identity with a key that SES did not make, with the selector "own".
func signsByItself(i *sesv2.GetEmailIdentityOutput) {
	i.DkimAttributes.CurrentSigningKeyLength = ""
	i.DkimAttributes.SigningAttributesOrigin = types.DkimSigningAttributesOriginExternal
	i.DkimAttributes.Tokens = []string{"own"}
}

// publicKey returns the DKIM record of an RSA key with this number of bits. It is no real key: nobody could sign with
// it, but its length is right, and no test waits for primes.
func publicKey(t testing.TB, bits uint) string {
	t.Helper()
	n := new(big.Int).Lsh(big.NewInt(1), bits-1)
	der, err := x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: n.SetBit(n, 0, 1), E: 65537})
	if err != nil {
		t.Fatal(err)
	}
	return "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(der)
}

// TestDoctorOfABulkSender: the doctor compares what mailboxes demand of bulk senders with what SES and the DNS tell.
// Mail comes from example.org or from a subdomain of it, by the identity example.org. In the DNS of a case, no texts
// mean that the name has none, and nil means that no server answers.
func TestDoctorOfABulkSender(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		well := newDeployment(t)
		const spf, dmarc, key = "bounce.example.org", "_dmarc.example.org", "own._domainkey.example.org"
		const short, long = types.DkimSigningKeyLengthRsa1024Bit, types.DkimSigningKeyLengthRsa2048Bit
		const noSPF = "advice SPF of example.org: it has no MAIL FROM domain"
		const notAligned = "missing alignment of news.example.org: " +
			"the policy does not take DKIM's signature of example.org"
		for name, c := range map[string]struct {
			sender string // "": a@example.org
			change func(*sesv2.GetEmailIdentityOutput)
			dns    records
			want   []string // "<state> <subject>: <words of it>", all that is not right
			mend   string   // words of the first one's, records too
		}{
			"nothing is amiss": {},
			"the envelope is SES's": {change: withoutMailFrom, want: []string{noSPF},
				mend: "aws --region us-east-1 sesv2 put-email-identity-mail-from-attributes " +
					"--email-identity example.org --mail-from-domain bounce.example.org"},
			"a MAIL FROM domain without MX": {change: withoutMX(types.BehaviorOnMxFailureUseDefaultValue),
				want: []string{"missing SPF of example.org: (FAILED): SPF only passes for SES's amazonses.com"},
				mend: "bounce.example.org. MX 10 feedback-smtp.us-east-1.amazonses.com."},
			"a MAIL FROM domain without MX, and no other is taken": {
				change: withoutMX(types.BehaviorOnMxFailureRejectMessage),
				want:   []string{"missing SPF of example.org: (FAILED), and refuses its mail"}},
			"a MAIL FROM domain without SPF": {dns: records{spf: {}},
				want: []string{"missing SPF of example.org: bounce.example.org has no SPF record"},
				mend: `bounce.example.org. TXT "v=spf1 include:amazonses.com ~all"`},
			// RFC 7208, section 4.5: several records are a permanent error, so SPF passes for nobody.
			"two SPF records": {dns: records{spf: {"v=spf1 include:amazonses.com ~all", "v=spf1 -all"}},
				want: []string{"missing SPF of example.org: has several SPF records"}},
			// v=spf10 begins with v=spf1, and is another version.
			"SPF of another version": {dns: records{spf: {"v=spf10 include:amazonses.com ~all"}},
				want: []string{"missing SPF of example.org: bounce.example.org has no SPF record"}},
			"SPF without SES": {dns: records{spf: {"v=spf1 mx ~all"}},
				want: []string{"missing SPF of example.org: does not include amazonses.com"}},
			// What another record includes would take further lookups, which the doctor does not make.
			"SPF that refers to another": {dns: records{spf: {"v=spf1 include:spf.example.net ~all"}},
				want: []string{"unknown SPF of example.org: refers to others: v=spf1 include:spf.example.net"}},
			"SPF that leaves it to another": {dns: records{spf: {"v=spf1 redirect=spf.example.net"}},
				want: []string{"unknown SPF of example.org: refers to others: v=spf1 redirect=spf.example.net"}},
			// "all" matches everything, so nothing behind it is looked at (RFC 7208, section 5.1).
			"SPF that ends before SES": {dns: records{spf: {"v=spf1 -all include:amazonses.com"}},
				want: []string{"missing SPF of example.org: does not include amazonses.com"}},
			"SPF that refuses SES": {dns: records{spf: {"v=spf1 -include:amazonses.com ~all"}},
				want: []string{"missing SPF of example.org: does not include amazonses.com"}},
			"SPF in other letters": {dns: records{spf: {"v=spf1 mx +Include:AmazonSES.com -all"}}},

			"a short key": {change: signsWith(short, short),
				want: []string{"advice DKIM of example.org: mail is signed with a key of 1024 bits"},
				mend: "--signing-attributes NextSigningKeyLength=RSA_2048_BIT --email-identity example.org"},
			"a short key that is to be replaced": {change: signsWith(short, long)},
			"a key of a length that is not told": {change: signsWith("", ""),
				want: []string{"unknown DKIM of example.org: of which SES does not tell the length"}},
			"a key of one's own": {change: signsByItself, dns: records{key: {publicKey(t, 2048)}}},
			"a short key of one's own": {change: signsByItself, dns: records{key: {publicKey(t, 1024)}},
				want: []string{"advice DKIM of example.org: a key of 1024 bits"}},
			// RFC 8301: keys below 1,024 bits must not be taken as valid.
			"a key of one's own that receivers refuse": {change: signsByItself, dns: records{key: {publicKey(t, 512)}},
				want: []string{"missing DKIM of example.org: a key of 512 bits"}},
			"a key of one's own that is gone": {change: signsByItself,
				want: []string{"missing DKIM of example.org: own._domainkey.example.org has 0 TXT records"}},
			// An empty p= revokes a key (RFC 6376, section 3.6.1).
			"a key of one's own that is revoked": {change: signsByItself, dns: records{key: {"v=DKIM1; p="}},
				want: []string{"missing DKIM of example.org: has no key that receivers can read"}},
			"a key of one's own, and a DNS that does not answer": {change: signsByItself, dns: records{key: nil},
				want: []string{"unknown DKIM of example.org: the DNS could not be asked: no DNS server answers"}},

			"no policy": {dns: records{dmarc: {}},
				want: []string{"missing DMARC of example.org: there is no policy"}},
			"two policies": {dns: records{dmarc: {"v=DMARC1; p=none", "v=DMARC1; p=reject"}},
				want: []string{"missing DMARC of example.org: _dmarc.example.org has 2 policies"}},
			"a policy of another version": {dns: records{dmarc: {"v=DMARC10; p=none"}},
				want: []string{"missing DMARC of example.org: there is no policy"}},
			"a policy that is none of the three": {dns: records{dmarc: {"v=DMARC1; p=monitor"}},
				want: []string{"missing DMARC of example.org: says v=DMARC1; p=monitor, which has none of them"}},
			// Names of tags and values may be in any case, with spaces around them and a semicolon at the end.
			"a policy in other letters": {dns: records{dmarc: {"v=DMARC1;P=none; p = Reject ;"}}},
			"a DNS that does not tell the policy": {dns: records{dmarc: nil},
				want: []string{"unknown DMARC of example.org: the DNS could not be asked"}},

			"a subdomain, and the policy of its organization": {sender: "a@news.example.org"},
			"a subdomain with a policy of its own": {sender: "a@news.example.org",
				dns: records{"_dmarc.news.example.org": {"v=DMARC1; p=reject"}}},
			"a subdomain whose organization has no policy": {sender: "a@news.example.org",
				dns:  records{"_dmarc.news.example.org": {"v=DMARC1; p=none"}, dmarc: {}},
				want: []string{notAligned},
				mend: "aws --region us-east-1 sesv2 create-email-identity --email-identity news.example.org"},
			// psd=n says that this domain is an organization of its own, so example.org is another one (RFC 9989).
			"a subdomain that is its own organization": {sender: "a@news.example.org",
				dns:  records{"_dmarc.news.example.org": {"v=DMARC1; p=none; psd=n"}},
				want: []string{notAligned}},
			// psd=y says that example.org is a public suffix, below which each domain is an organization of its own.
			"a subdomain of a public suffix": {sender: "a@news.example.org",
				dns: records{"_dmarc.news.example.org": {"v=DMARC1; p=none"},
					dmarc: {"v=DMARC1; p=none; psd=y"}},
				want: []string{notAligned}},
			"a subdomain of a domain below a public suffix": {sender: "a@news.example.org",
				dns: records{"_dmarc.news.example.org": {"v=DMARC1; p=none"}, dmarc: {},
					"_dmarc.org": {"v=DMARC1; psd=y"}}},
			"the policy of a domain between does not count": {sender: "a@b.news.example.org",
				dns: records{"_dmarc.news.example.org": {"v=DMARC1; p=nonsense"}}},
			"a strict policy, and the same domain": {dns: records{dmarc: {"v=DMARC1; p=none; adkim=s; aspf=s"}}},
			// SPF is still relaxed, and one of the two is enough.
			"a policy strict about DKIM": {sender: "a@news.example.org",
				dns: records{dmarc: {"v=DMARC1; p=none; adkim=s"}}},
			"a policy strict about DKIM, and the envelope is SES's": {sender: "a@news.example.org",
				change: withoutMailFrom, dns: records{dmarc: {"v=DMARC1; p=none; adkim=s"}},
				want: []string{noSPF, notAligned}},
			"a policy strict about both": {sender: "a@news.example.org",
				dns: records{dmarc: {"v=DMARC1; p=none; adkim=s; aspf=S"}}, want: []string{notAligned}},
			"a policy strict about DKIM, and a DNS that does not tell SPF": {sender: "a@news.example.org",
				dns: records{dmarc: {"v=DMARC1; p=none; adkim=s"}, spf: nil},
				want: []string{"unknown SPF of example.org: the DNS could not be asked",
					"unknown alignment of news.example.org: it depends on SPF"}},
			"a DNS that does not tell SPF": {dns: records{spf: nil},
				want: []string{"unknown SPF of example.org: the DNS could not be asked: no DNS server answers"}},
			"neither DKIM nor SPF": {
				change: func(i *sesv2.GetEmailIdentityOutput) {
					i.DkimAttributes.SigningEnabled, i.MailFromAttributes = false, nil
				},
				want: []string{"missing DKIM of example.org: mail is not signed", noSPF,
					"missing alignment of example.org: neither DKIM nor SPF passes"}},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				published := maps.Clone(well.records)
				published[spf], published[dmarc] = published["bounce.example.com"], published["_dmarc.example.com"]
				maps.Copy(published, c.dns)
				d := &deployment{well.of(t), published}
				d.lookupTXT = func(ctx context.Context, name string) ([]string, error) {
					if texts, ok := c.dns[strings.TrimSuffix(name, ".")]; ok && texts == nil {
						return nil, errors.New("no DNS server answers")
					}
					return published.lookup(ctx, name)
				}
				sender := c.sender
				if sender == "" {
					sender = "a@example.org"
				}
				d.change(func(s *account.State) { sends(s, sender, "example.org", c.change) })
				amiss := finds(t, d, c.want)
				for _, f := range amiss {
					if len(f.Sources) != 3 {
						t.Errorf("%s has the sources %q, want those of three mailboxes", f.Subject, f.Sources)
					}
				}
				if len(amiss) > 0 {
					do := append(amiss[0].Records, amiss[0].Mend, amiss[0].Command)
					expect.Contains(t, strings.Join(do, "\n"), c.mend)
				}
			})
		}
	})
}

// TestDoctorAsksTheDNSLittle: it asks for each name once, and for a policy at no more than eight names (RFC 9989). A
// long name could otherwise cause a lookup for each of its parts.
func TestDoctorAsksTheDNSLittle(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		d := newDeployment(t)
		const deep = "a.b.c.d.e.f.g.h.example.com"
		d.change(func(s *account.State) { has(s, "DefaultSender", "help@"+deep) })
		var asked []string
		d.lookupTXT = func(ctx context.Context, name string) ([]string, error) {
			asked = append(asked, strings.TrimSuffix(name, "."))
			return d.records.lookup(ctx, name)
		}
		out, _ := d.frontdesk("doctor", "--json")
		slices.Sort(asked)
		want := []string{"bounce." + deep, "bounce.example.com", "_dmarc." + deep, "_dmarc.example.com"}
		for _, labels := range []string{"d.e.f.g.h", "e.f.g.h", "f.g.h", "g.h", "h"} {
			want = append(want, "_dmarc."+labels+".example.com")
		}
		want = append(want, "_dmarc.com")
		slices.Sort(want)
		expect.Equal(t, asked, want, "names asked for")
		var findings []doctor.Finding
		if err := json.Unmarshal([]byte(out), &findings); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(findings, func(f doctor.Finding) bool {
			return f.Subject == "DMARC of "+deep && f.State == doctor.Right
		}) {
			t.Errorf("found %+v, which has no policy of %s", findings, deep)
		}
	})
}

// TestDoctorNamesItsSources: below all it lists the pages of the mailboxes that demand what is amiss, each once. An
// operator can read there why it is demanded, and whether it still is.
func TestDoctorNamesItsSources(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		d := newDeployment(t)
		d.change(func(s *account.State) { sends(s, "a@example.org", "example.org", withoutMailFrom) })
		d.records["_dmarc.example.org"] = []string{"v=DMARC1; p=none"}
		out, err := d.frontdesk("doctor")
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, out[strings.Index(out, "link "):], "link     https://support.google.com/a/answer/81126\n"+
			"link     https://senders.yahooinc.com/best-practices/\n"+
			"link     https://sendersupport.olc.protection.outlook.com/pm/policies.aspx\n"+
			"link     https://postmaster.google.com\n"+
			"link     https://senders.yahooinc.com\n"+
			"link     https://sendersupport.olc.protection.outlook.com/snds/\n", "the links")
	})
}
