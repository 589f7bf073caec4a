package mailkey_test

import (
	"cmp"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// start starts a stack for its table. No test here calls a function.
func start(t testing.TB) *fixture.Stack {
	t.Helper()
	return fixture.Start(t, fixture.WithoutFunctions(t))
}

// TestKeysAreCreatedListedAndRevoked: a key without From may send as its sender's domain, in punycode. A revoked key
// stays in the list, and no longer authenticates.
func TestKeysAreCreatedListedAndRevoked(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := start(t)
		store := mailkey.Keys{Table: stack.Table}
		ctx := t.Context()
		other, _ := stack.NewMailKey(t, mailkey.Key{Name: "test", From: []string{"example.com"}})
		sender := mail.Address{Name: "Ä \"B\"", Address: "a@Bücher.example"}
		first, text := stack.NewMailKey(t, mailkey.Key{Name: "first", Sender: sender})
		if !slices.Equal(first.From, []string{"xn--bcher-kva.example"}) {
			t.Errorf("may send as %q", first.From)
		}
		got, err := store.Authenticate(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, got.ID, first.ID)
		expect.Equal(t, got.Name, "first")
		expect.Equal(t, got.Sender, first.Sender)
		expect.Equal(t, got.From, first.From)
		expect.Equal(t, got.CreatedAt, first.CreatedAt)
		keys, err := store.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		expect.Len(t, keys, 2)
		expect.Equal(t, keys[0].ID, other.ID)
		expect.Equal(t, keys[1].ID, first.ID)
		for range 2 {
			revoked, err := store.Revoke(ctx, first.ID)
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, revoked.RevokedAt.IsZero(), false)
			expect.Equal(t, revoked.Name, "first")
		}
		if _, err := store.Authenticate(ctx, text); err == nil {
			t.Error("a revoked key is good")
		}
		_, err = store.Revoke(ctx, id.New())
		expect.Contains(t, fmt.Sprint(err), "there is no mail key", "revoking an unknown key: error")
		if keys, _ := store.List(ctx); len(keys) != 2 {
			t.Errorf("revoking made a record: %+v", keys)
		}
	})
}

// TestKeysThatCannotBeMade: the error tells the operator which setting is wrong.
func TestKeysThatCannotBeMade(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		store := mailkey.Keys{Table: start(t).Table}
		for name, c := range map[string]struct {
			key  mailkey.Key
			want string
		}{
			"without name":               {mailkey.Key{Name: " ", From: []string{"*"}}, "name must not be blank"},
			"without anybody to send as": {mailkey.Key{Name: "x"}, "needs a sender, or addresses or domains"},
			"with a sender that is none": {
				mailkey.Key{Name: "x", Sender: mail.Address{Address: "a b@example.org"}},
				"sender ",
			},
			"with a domain that is none": {
				mailkey.Key{Name: "x", From: []string{"exa mple"}}, `"exa mple" is neither an address nor a domain`,
			},
			"with an address that is none": {mailkey.Key{Name: "x", From: []string{"a@@b"}}, "from "},
			"with a sender it may not be": {
				mailkey.Key{Name: "x", Sender: mail.Address{Address: "a@example.org"}, From: []string{"example.com"}},
				"is not among the addresses and domains",
			},
			"with a sender of another domain": {
				mailkey.Key{Name: "x", Sender: mail.Address{Address: "a@example.org"}, From: []string{"b@example.org"}},
				"is not among the addresses and domains",
			},
		} {
			_, _, err := store.Create(t.Context(), c.key)
			expect.Contains(t, fmt.Sprint(err), c.want, name+": error")
		}
	})
}

// TestTheTableHoldsNoKeyInTheClear: whoever reads the table, or a backup of it, cannot send mail.
func TestTheTableHoldsNoKeyInTheClear(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := start(t)
		_, text := stack.NewMailKey(t, mailkey.Key{Name: "test", From: []string{"example.com"}})
		var items []map[string]any
		if err := stack.Table.Scan().All(t.Context(), &items); err != nil || len(items) != 2 {
			t.Fatalf("%d items, %v; want the key, and its entry in the directory", len(items), err)
		}
		c, _ := credential.Parse(credential.MailKey, text)
		secret := text[strings.LastIndexByte(text, '_')+1:]
		matched := false
		for _, item := range items {
			for name, value := range item {
				stored, ok := value.(string)
				if ok && (strings.Contains(stored, secret) || strings.Contains(stored, text)) {
					t.Errorf("%s is %q", name, stored)
				}
			}
			digest, _ := item["digest"].([]byte)
			matched = matched || c.Matches(digest)
		}
		if !matched {
			t.Errorf("no digest is the key's: %v", items)
		}
	})
}

// TestAReservationIsCountedOnce: a repeated update recognizes its own name in the count. If another mail was counted
// in between, the quota is used up sooner, but never exceeded.
func TestAReservationIsCountedOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		db := start(t).Table
		ctx, day := t.Context(), mailkey.DayOf(time.Now())
		keys := mailkey.Keys{Table: db}
		key, _, err := keys.Create(ctx, mailkey.Key{Name: "limited", From: []string{"example.org"}, Daily: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			name       string
			recipients int
			reserved   bool
			counted    int
		}{
			{"a", 4, true, 4},
			{"a", 4, true, 4},
			{"b", 3, true, 7},
			{"c", 4, false, 7},
			{"b", 3, true, 7},
			{"c", 3, true, 10},
			{"c", 3, true, 10},
			{"a", 4, false, 10},
		} {
			reserved, err := key.Reserve(ctx, db, day, step.name, step.recipients)
			_, counted, usedErr := keys.Used(ctx, key.ID, day)
			err = cmp.Or(err, usedErr)
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, reserved, step.reserved)
			expect.Equal(t, counted, step.counted)
		}
		if err := key.Refund(ctx, db, day, 4); err != nil {
			t.Fatal(err)
		}
		reserved, err := key.Reserve(ctx, db, day, "a", 4)
		if err != nil {
			t.Fatalf("after a refund: %v", err)
		}
		expect.Equal(t, reserved, true, "after a refund")
	})
}
