package credential

import (
	"strings"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/expect"
)

// TestWhatIsMintedIsParsed shows that every kind works with the smallest and the largest id.
func TestWhatIsMintedIsParsed(t *testing.T) {
	for _, kind := range []Kind{MailKey, PlatformApp, Agent, Login} {
		for _, owner := range []id.ID{1, id.New(), id.Max} {
			text, digest := Mint(kind, owner)
			c, ok := Parse(kind, text)
			if !ok {
				t.Fatalf("%s of %d came back as %+v, %t", kind, owner, c, ok)
			}
			expect.Equal(t, c.ID, owner)
			expect.Equal(t, c.Matches(digest[:]), true)
		}
	}
}

// TestTwoSecretsDiffer shows that credentials of the same owner have different secrets.
func TestTwoSecretsDiffer(t *testing.T) {
	a, digest := Mint(Agent, 1)
	b, _ := Mint(Agent, 1)
	c, _ := Parse(Agent, b)
	expect.Not(t, a, b)
	expect.Equal(t, c.Matches(digest[:]), false)
}

// TestParseRefusesEveryOtherForm changes a well-formed credential in one place each. None of these may count as
// the same.
func TestParseRefusesEveryOtherForm(t *testing.T) {
	secret := strings.Repeat("0a", secretBytes)
	if _, ok := Parse(MailKey, "fdm_z_"+secret); !ok {
		t.Fatal("the well-formed one that the others are bent from is refused")
	}
	for name, text := range map[string]string{
		"empty":                          "",
		"another kind":                   "fdp_z_" + secret,
		"kind in capitals":               "FDM_z_" + secret,
		"no id":                          "fdm__" + secret,
		"no secret":                      "fdm_z_",
		"no second part":                 "fdm_z",
		"id zero":                        "fdm_0_" + secret,
		"negative id":                    "fdm_-1_" + secret,
		"id with a plus":                 "fdm_+z_" + secret,
		"id in capitals":                 "fdm_Z_" + secret,
		"id with leading zero":           "fdm_0z_" + secret,
		"id over 53 bits":                "fdm_2gosa7pa2gw_" + secret,
		"id over 64 bits":                "fdm_zzzzzzzzzzzzzzzz_" + secret,
		"secret too short":               "fdm_z_" + secret[1:],
		"secret too long":                "fdm_z_" + secret + "0",
		"secret in capitals":             "fdm_z_" + strings.ToUpper(secret),
		"secret not hexadecimal":         "fdm_z_" + secret[1:] + "g",
		"space before":                   " fdm_z_" + secret,
		"line feed after":                "fdm_z_" + secret + "\n",
		"underscore inside the secret":   "fdm_z_" + secret[:10] + "_" + secret[11:],
		"a non-ASCII digit in the id":    "fdm_１_" + secret,
		"a NUL byte in place of a digit": "fdm_z_" + secret[1:] + "\x00",
	} {
		t.Run(name, func(t *testing.T) {
			if c, ok := Parse(MailKey, text); ok {
				t.Errorf("Parse(%q) = %+v", text, c)
			}
		})
	}
}

// TestMatchesOnlyTheDigestItself tries digests that are missing, cut, extended, or differ in one bit.
func TestMatchesOnlyTheDigestItself(t *testing.T) {
	text, digest := Mint(MailKey, 1)
	c, _ := Parse(MailKey, text)
	for name, stored := range map[string][]byte{
		"nothing stored": nil,
		"a prefix":       digest[:31],
		"longer":         append(digest[:], 0),
		"one bit other":  append([]byte{digest[0] ^ 1}, digest[1:]...),
	} {
		if c.Matches(stored) {
			t.Errorf("matches %s", name)
		}
	}
}

// FuzzParse shows that a parsed credential has a valid id, and is no longer than a minted one.
func FuzzParse(f *testing.F) {
	text, _ := Mint(MailKey, 42)
	f.Add(text)
	f.Add("fdm_z_" + strings.Repeat("f", 64))
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := Parse(MailKey, text)
		if !ok {
			return
		}
		expect.AtLeast(t, c.ID, 1)
		expect.AtMost(t, c.ID, id.Max)
		expect.HasPrefix(t, text, "fdm_")
		expect.AtMost(t, len(text), 4+11+1+64)
	})
}
