package table

import (
	"testing"

	"frontdesk/internal/base/credential"
)

// TestMirrors shows that each side of a fact that is stored twice leads to the other, and that no other kind has a
// mirror. The slug with a # shows that only the prefix is replaced.
func TestMirrors(t *testing.T) {
	t.Parallel()
	portal := Portal{Account: 3, Slug: "a#b"}
	for k, want := range map[Key]Key{
		PermissibleLink(1, 2):                  LinkedApp(2, 1),
		portal.Member(2):                       portal.Membership(2),
		User(1):                                {},
		App(1):                                 {},
		Email("LINK#x"):                        {},
		portal.Key():                           {},
		AgentToken(1, credential.Digest{}):     {},
		portal.IndexItem(1, "SUB", 2):          {},
		{PermissibleLinks + "1", "APP"}:        {},
		{Memberships + "1", Apps + "2"}:        {},
		{LinkedApps + "1", Users + "2"}:        {},
		{"x" + PermissibleLinks, Users + "12"}: {},
	} {
		if got := k.Mirror(); got != want {
			t.Errorf("the mirror of %s is %s, want %s", k, got, want)
		}
		if back := want.Mirror(); want != (Key{}) && back != k {
			t.Errorf("the mirror of %s is %s, want %s", want, back, k)
		}
		if want != (Key{}) && (k.Kind() == Unknown || want.Kind() == Unknown) {
			t.Errorf("%s or %s is of no known kind", k, want)
		}
	}
}
