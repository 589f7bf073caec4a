package category_test

import (
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
)

// readPortal asks for the portal itself, as a reader.
func (p *testPortal) readPortal(t testing.TB, query string) answer {
	t.Helper()
	return p.Call(t, p.to("getPublicPortal").Query(query), nil, nil)
}

// TestReadersSeeThePortal shows what readers see of a portal: its name, and its locales in the operator's order and
// spelling, without those that it has lost. An agent's token changes nothing.
func TestReadersSeeThePortal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		change := portal.Portal{
			Account: p.portal.Account, Slug: p.portal.Slug, Name: "Help & more", Locales: []string{"pt_BR", "en"},
			DefaultLocale: "EN",
		}
		public := true
		if _, err := (portal.Store{Table: p.Table}).Update(t.Context(), change, &public); err != nil {
			t.Fatal(err)
		}
		want := object{"payload": object{
			"name": "Help & more", "slug": "handbook",
			"config": object{
				"allowed_locales": array{object{"code": "pt_BR"}, object{"code": "en"}}, "default_locale": "en",
			},
		}}
		first := p.readPortal(t, "")
		first.Is(t, 200, nil)
		expect.Equal[any](t, first.Body, want, "the answer")
		expect.Equal(t, p.Actions(first), []string{"BatchGetItem"}, "calls")
		// Whatever readers add, the process has the answer already.
		for _, query := range []string{"", "?locale=pt_BR", "?locale=xx", "?utm_source=mail&limit=x"} {
			again := p.readPortal(t, query)
			expect.Equal(t, again.Raw, first.Raw, query)
			expect.Equal(t, p.Actions(again), nil, query+": calls")
		}
		agents := p.Call(t, p.to("getPublicPortal"), fixture.Token(p.agent), nil)
		expect.Equal(t, agents.Raw, first.Raw, "with an agent's token")
		// Without /public, there is no such path, for agents either.
		private := fixture.At("GET", "/api/v1/accounts/1/portals/handbook")
		p.Call(t, private, fixture.Token(p.agent), nil).Is(t, 404, object{"message": "Not Found"})
	})
}
