package table_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestReadTakesOneCallAtMost shows that keys are read once, and that keys which cannot exist are not asked for.
func TestReadTakesOneCallAtMost(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		tab, calls := faulty(t)
		there := table.MailKey(1)
		if err := tab.Put(counter{Key: there, N: 7}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		absent := table.MailKey(2)
		long := table.Portal{Account: 1, Slug: strings.Repeat("x", 3000)}.Key()
		for name, c := range map[string]struct {
			keys  []table.Key
			calls int64
			found int
		}{
			"nothing":                          {nil, 0, 0},
			"one that is there":                {[]table.Key{there}, 1, 1},
			"one that is not":                  {[]table.Key{absent}, 1, 0},
			"both":                             {[]table.Key{absent, there}, 1, 1},
			"the same twice":                   {[]table.Key{there, there}, 1, 1},
			"one that is too long for a key":   {[]table.Key{long}, 0, 0},
			"a good one beside a too long one": {[]table.Key{long, there}, 1, 1},
			"the zero key":                     {[]table.Key{{}}, 0, 0},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				before := calls.Load()
				items, err := tab.Read(t.Context(), c.keys...)
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, len(items), c.found)
				expect.Equal(t, calls.Load()-before, c.calls)
				var got counter
				found, err := items.Get(there, &got)
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, found, c.found == 1)
				if found {
					expect.Equal(t, got.N, 7)
				}
			})
		}
	})
}

// TestKeys compares every shape of key with its text in the design. A key that changes would lose its items.
func TestKeys(t *testing.T) {
	const u, digest = id.ID(42), "0000000000000000000000000000000000000000000000000000000000000000"
	portal := table.Portal{Account: 7, Slug: "handbook"}
	for _, c := range []struct {
		key    table.Key
		pk, sk string
	}{
		{table.MailKey(u), "MAILKEY#0000000000000042", "MAILKEY"},
		{table.Idempotency(u, [32]byte{}), "IDEMPOTENCY#0000000000000042#" + digest, "IDEMPOTENCY"},
		{table.MailDay(u, time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC)), "MAILDAY#0000000000000042", "DAY#2026-11-05"},
		{table.App(u), "APP#0000000000000042", "APP"},
		{table.PermissibleLink(1, u), "LINK#0000000000000001", "USER#0000000000000042"},
		{table.User(u), "USER#0000000000000042", "USER"},
		{table.AgentToken(u, [32]byte{}), "TOKEN#0000000000000042", "TOKEN#" + digest},
		{table.UnansweredLogin(u, [32]byte{}), "TOKEN#0000000000000042", "LOGIN#" + digest},
		{table.Email("a@example.org"), "EMAIL#a@example.org", "EMAIL"},
		{table.SignInAttempts("a@example.org"), "ATTEMPTS#a@example.org", "ATTEMPTS"},
		{table.LoginToken(7, [32]byte{}), "LOGIN#0000000000000007", "LOGIN#" + digest},
		{portal.Key(), "PORTAL#0000000000000007#handbook", "PORTAL"},
		{table.DirectoryEntry(portal.Key()), "DIRECTORY", "PORTAL#0000000000000007#handbook"},
		{table.DirectoryEntry(portal.Key()).Record(), "PORTAL#0000000000000007#handbook", "PORTAL"},
		{portal.Member(u), "MEMBER#0000000000000007#handbook", "USER#0000000000000042"},
		{portal.Category(u), "CATEGORY#0000000000000007#handbook", "CATEGORY#0000000000000042"},
		{portal.SlugOwner("en", "faq"), "CATEGORY#0000000000000007#handbook", "SLUG#en#faq"},
		{portal.IndexItem(1, "SUB", u),
			"CATEGORY#0000000000000007#handbook", "INDEX#0000000000000001#SUB#0000000000000042"},
	} {
		if c.key.PK != c.pk || c.key.SK != c.sk {
			t.Errorf("%s, want %q/%q", c.key, c.pk, c.sk)
		}
	}
}
