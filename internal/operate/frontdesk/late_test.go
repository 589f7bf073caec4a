package main

import (
	"net/http"
	"net/mail"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/user/platformapp"
)

// TestNoOperatorsWriteIsUndoneByItsOwnRepetition: a delayed first attempt at a write arrives after another operator
// has written. The other operator's write stays. The SDK sends a write again if it got no answer, and the network may
// deliver the first attempt after that.
func TestNoOperatorsWriteIsUndoneByItsOwnRepetition(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		localtest.Case(t, "mail-key quota", func(t testing.TB) {
			key, _ := stack.NewMailKey(t, mailkey.Key{Name: "key", Sender: mail.Address{Address: "a@example.org"}})
			arrive := stack.DelayOperator(t, func(in table.Table) {
				must(mailkey.Keys{Table: in}.SetDaily(t.Context(), key.ID, 1))
			})
			must(mailkey.Keys{Table: stack.Table}.SetDaily(t.Context(), key.ID, 2))
			arrive()
			keys, err := mailkey.Keys{Table: stack.Table}.List(t.Context())
			if must(err); len(keys) != 1 || keys[0].Daily != 2 {
				t.Errorf("keys %+v, want a quota of 2", keys)
			}
		})
		localtest.Case(t, "platform-app rotate", func(t testing.TB) {
			apps := platformapp.Store{Table: stack.Table}
			app, _, err := apps.Create(t.Context(), platformapp.App{Name: "app"})
			must(err)
			arrive := stack.DelayOperator(t, func(in table.Table) {
				_, _, err := platformapp.Store{Table: in}.Rotate(t.Context(), app.ID)
				must(err)
			})
			_, token, err := apps.Rotate(t.Context(), app.ID)
			must(err)
			arrive()
			stack.Call(t, fixture.To("listUsers"), fixture.Token(token), nil).Is(t, http.StatusOK, nil)
		})
		localtest.Case(t, "platform-app update", func(t testing.TB) {
			apps := platformapp.Store{Table: stack.Table}
			app, _, err := apps.Create(t.Context(), platformapp.App{Name: "home"})
			must(err)
			arrive := stack.DelayOperator(t, func(in table.Table) {
				_, err := platformapp.Store{Table: in}.Update(t.Context(), app.ID, platformapp.Change{
					LoginURL: new("https://first.example"),
				})
				must(err)
			})
			_, err = apps.Update(t.Context(), app.ID, platformapp.Change{LoginURL: new("https://then.example")})
			must(err)
			arrive()
			list, err := apps.List(t.Context())
			must(err)
			if now := list[len(list)-1]; now.ID != app.ID || now.LoginURL != "https://then.example" {
				t.Errorf("app %+v, want the login address that was set last", now)
			}
		})
		localtest.Case(t, "platform-app update of what it may", func(t testing.TB) {
			apps := platformapp.Store{Table: stack.Table}
			app, _, err := apps.Create(t.Context(), platformapp.App{Name: "import"})
			must(err)
			arrive := stack.DelayOperator(t, func(in table.Table) {
				_, err := platformapp.Store{Table: in}.Update(t.Context(), app.ID, platformapp.Change{
					MayImportHashes: new(true),
				})
				must(err)
			})
			_, err = apps.Update(t.Context(), app.ID, platformapp.Change{MayImportHashes: new(false)})
			must(err)
			arrive()
			list, err := apps.List(t.Context())
			must(err)
			if now := list[len(list)-1]; now.ID != app.ID || now.MayImportHashes {
				t.Errorf("app %+v, want that it may not import hashes", now)
			}
		})
		localtest.Case(t, "portal update", func(t testing.TB) {
			handbook := stack.NewPortal(t, 1, "handbook", "en")
			portals := portal.Store{Table: stack.Table}
			change, public, private := portal.Portal{Account: handbook.Account, Slug: handbook.Slug}, true, false
			arrive := stack.DelayOperator(t, func(in table.Table) {
				_, err := portal.Store{Table: in}.Update(t.Context(), change, &public)
				must(err)
			})
			_, err := portals.Update(t.Context(), change, &private)
			must(err)
			arrive()
			if p, err := portals.Get(t.Context(), handbook); err != nil || p.Public {
				t.Errorf("portal %+v, %v; want it private", p, err)
			}
		})
	})
}
