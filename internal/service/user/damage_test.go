package user_test

import (
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestDamagedItems shows that a request that meets a damaged item is a 500. Its log line names the kind of the item and
// the attribute, and nothing of an address; the end of every test searches the logs for addresses.
func TestDamagedItems(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		const address = "ada@example.org"
		ada := app.mustHave(t, details(address, nil))
		owner, set := table.Email(address), &types.AttributeValueMemberSS{Value: []string{address}}
		signIn := func(t testing.TB) reply { return s.signIn(t, object{"email": address, "password": password}) }
		byAddress := func(t testing.TB) reply { return app.list(t, "?email="+address) }
		create := func(t testing.TB) reply { return app.create(t, details(address, nil)) }
		list := func(t testing.TB) reply { return app.list(t, "") }
		show := func(t testing.TB) reply { return app.show(t, ada.ID) }
		attempts, link := table.SignInAttempts(address), table.PermissibleLink(app.app.ID, ada.ID)
		for name, c := range map[string]struct {
			key     table.Key
			damage  object // an attribute as it is then
			request func(testing.TB) reply
		}{
			"a sign-in by an owner of another type":   {owner, object{"generation": address}, signIn},
			"a sign-in by an owner with a set":        {owner, object{"user": set}, signIn},
			"a list by an owner of a broken number":   {owner, object{"user": 1.5}, byAddress},
			"a creation with a damaged owner":         {owner, object{"user": address}, create},
			"a sign-in with attempts that are a text": {attempts, object{"marks": "not a set: " + address}, signIn},
			"a user with a broken time":               {table.User(ada.ID), object{"created_at": address}, show},
			"a user with a set":                       {table.User(ada.ID), object{"email": set}, show},
			"a list with a link of another type":      {link, object{"user": address}, list},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				before, err := s.Table.Read(t.Context(), c.key)
				if err != nil {
					t.Fatal(err)
				}
				want := c.key.Kind() + " cannot be read: damaged attributes:"
				damage := s.Table.UpdateItem(c.key)
				for attribute, value := range c.damage {
					damage.Set(attribute, value)
					want += " " + attribute
				}
				if err := damage.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				r := c.request(t)
				r.is(t, http.StatusInternalServerError, "Internal error")
				if line := localtest.WaitLog(t, s.Stack.Stack, r.RequestID); !strings.Contains(line, want) {
					t.Errorf("logged is %s, want %q", line, want)
				}
				// The next case needs the item as it was.
				if err := s.Table.DeleteItem(c.key).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if item, there := before[c.key]; there {
					if err := s.Table.Put(item).Run(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	})
}
