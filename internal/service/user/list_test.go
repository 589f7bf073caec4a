package user_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestListsAreOfOneApp shows that each app sees the users that it is linked to, in the order of their creation, page
// by page.
func TestListsAreOfOneApp(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		a, b, none := s.newApp(t, "a"), s.newApp(t, "b"), s.newApp(t, "none")
		users := map[string][]reply{}
		for i := range 7 {
			app := []client{a, b}[i%2]
			made := app.mustHave(t, details(fmt.Sprintf("u%d@example.org", i), nil))
			users[app.app.Name] = append(users[app.app.Name], made)
		}
		a.mustCreate(t, object{"email": "u5@example.org"}) // b's last one
		// A user who is linked late still has his place by his id.
		users["a"] = append(users["a"], users["b"][2])
		slices.SortFunc(users["a"], func(x, y reply) int { return int(x.ID - y.ID) })
		for _, app := range []client{a, b, none} {
			for _, limit := range []string{"", "?limit=", "?limit=1", "?limit=2", "?limit=4", "?limit=5",
				"?limit=100"} {
				var got []id.ID
				pages := 0
				for cursor := ""; ; pages++ {
					r := app.list(t, limit+cursor)
					r.is(t, http.StatusOK, "")
					for _, u := range r.Payload {
						got = append(got, u.ID)
					}
					if r.Meta.NextCursor == "" {
						break
					}
					// A page may be empty only at the end: some clients stop at an empty one.
					if len(r.Payload) == 0 {
						t.Errorf("%s, %q: an empty page, and another after it", app.app.Name, limit)
					}
					cursor = "&cursor=" + r.Meta.NextCursor
				}
				var want []id.ID
				for _, u := range users[app.app.Name] {
					want = append(want, u.ID)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %q: %d, want %d", app.app.Name, limit, got, want)
				}
				if limit == "?limit=2" && pages != max(0, (len(want)-1)/2) {
					t.Errorf("%s: %d pages before the last, of %d users", app.app.Name, pages, len(want))
				}
			}
		}
		ada := users["a"][0]
		r := a.list(t, "?limit=1")
		expect.Equal(t, r.Raw, `{"payload":[`+ada.Raw+`],"meta":{"next_cursor":"`+r.Meta.NextCursor+`"}}`, "the user")
		if r := none.list(t, ""); r.Raw != `{"payload":[],"meta":{}}` {
			t.Errorf("answer %s", r.Raw)
		}
	})
}

// TestListByEmail finds the user of an address, in any spelling, for an app that is linked to the user.
func TestListByEmail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		ada := app.mustHave(t, details("Ada@Bücher.example", nil))
		other.mustHave(t, details("bob@example.org", nil))
		for query, want := range map[string]string{
			"?email=Ada@B%C3%BCcher.example":                   ada.Raw,
			"?email=%20ada@xn--bcher-kva.EXAMPLE%20":           ada.Raw,
			"?email=ada@xn--bcher-kva.example&limit=1&cursor=": ada.Raw,
			"?email=ada@b%C3%BCcher.example.org":               "",
			"?email=da@b%C3%BCcher.example":                    "",
			"?email=bob@example.org":                           "",
		} {
			if r := app.list(t, query); r.Status != http.StatusOK || r.Raw != `{"payload":[`+want+`],"meta":{}}` {
				t.Errorf("%s: answer %d %s, want %s", query, r.Status, r.Raw, want)
			}
		}
		app.update(t, ada.ID, object{"email": "new@example.org"})
		for query, want := range map[string]int{"?email=ada@b%C3%BCcher.example": 0, "?email=NEW@example.org": 1} {
			if r := app.list(t, query); len(r.Payload) != want {
				t.Errorf("%s after the change: answer %s", query, r.Raw)
			}
		}
	})
}

// TestListsThatAreAskedForWrongly sends bad limits, and cursors that a client made up. A cursor never shows another
// app's user. A cursor is no secret, so anybody can make one.
func TestListsThatAreAskedForWrongly(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		mine, his := app.mustHave(t, details("ada@example.org", nil)),
			other.mustHave(t, details("bob@example.org", nil))
		const limit, cursor = "limit must be an integer from 1 to 100", "cursor must be the next_cursor of an answer"
		const blank = "email can't be blank"
		encode := func(text string) string { return "?cursor=" + base64.RawURLEncoding.EncodeToString([]byte(text)) }
		for query, want := range map[string]string{
			"?limit=0": limit, "?limit=-1": limit, "?limit=101": limit, "?limit=x": limit, "?limit=1.0": limit,
			"?limit=99999999999999999999": limit, "?limit=%201": limit,
			"?cursor=x": cursor, "?cursor=%00": cursor, encode("x"): cursor, encode("0"): cursor, encode("01"): cursor,
			encode("-1"): cursor, encode("9007199254740992"): cursor, encode("USER#"): cursor,
			encode("1") + "=":                cursor,
			"?email=ada@example.org&limit=0": limit,
			// Whoever asks for one user, and says wrongly for whom, must not be shown others.
			"?email=": blank, "?email=%20": blank, "?email=&limit=1": blank,
			"?email=ada": `email "ada" is not a valid e-mail address: it has no @`,
			"?email=%00@example.org": `email "\x00@example.org" is not a valid e-mail address: ` +
				`the part before the @ must not contain "\x00"`,
			// A # is the separator of the table's keys, and here a part of an address.
			"?email=ada@example.org%23EMAIL&email=nobody@x.org": `email "ada@example.org#EMAIL,nobody@x.org" ` +
				"is not a valid e-mail address: it is several addresses; give one alone",
			"?Email=ada@example.org":       `query parameter "Email" is unknown; this list has email, limit and cursor`,
			encode("1"):                    "", // a number that is nobody's
			encode(id.ID(id.Max).String()): "",
			encode(his.ID.String()):        "",
		} {
			r := app.list(t, query)
			if want != "" {
				r.is(t, http.StatusBadRequest, want)
				continue
			}
			r.is(t, http.StatusOK, "")
			expect.AtMost(t, len(r.Payload), 1, query)
			for _, u := range r.Payload {
				expect.Equal(t, u.ID, mine.ID, query+": id")
			}
		}
	})
}

// TestAPageSkipsWhomItDoesNotFind shows a page during a deletion: the user's record is gone, and the link is
// still there.
func TestAPageSkipsWhomItDoesNotFind(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		first, last := app.mustHave(t, details("a@example.org", nil)), app.mustHave(t, details("b@example.org", nil))
		if err := s.Table.DeleteItem(table.User(first.ID)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := app.list(t, "?limit=2")
		expect.Len(t, r.Payload, 1)
		expect.Equal(t, r.Payload[0].ID, last.ID)
		expect.Equal(t, r.Meta.NextCursor, "")
		if r := app.list(t, "?email=a@example.org"); len(r.Payload) != 0 {
			t.Errorf("answer %s", r.Raw)
		}
	})
}
