package category_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestIntegersAreTheSameHoweverTheyAreWritten: some programs write every number with a fraction or an exponent.
func TestIntegersAreTheSameHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		written := func(format string, n int64) json.RawMessage { return json.RawMessage(fmt.Sprintf(format, n)) }
		root := p.create(t, "root", object{"position": json.RawMessage("1e3")})
		x := p.create(t, "x", object{
			"position": json.RawMessage("-20.0"), "parent_category_id": written("%d.0", root),
			"associated_category_id": written("%d0e-1", root), "related_category_ids": array{written("%d.00", root)},
		})
		shown := p.show(t, x)
		expect.Equal(t, shown["position"], any(-20.0))
		for _, field := range []string{"parent_category", "root_category"} {
			expect.Equal(t, idOf(shown[field]), root, field)
		}
		expect.Equal(t, idsOf(shown["related_categories"]), []int64{root})
		r := p.reorder(t, object{fmt.Sprint(x): json.RawMessage("3E0"), fmt.Sprint(root): json.RawMessage("20.0e-1")})
		r.Is(t, http.StatusOK, nil)
		expect.Equal(t, idsOf(r.Body["payload"]), []int64{root, x}, "order")
	})
}

// TestASmallTree walks through all that the contract says of links.
func TestASmallTree(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		root := p.create(t, "root", object{"description": "The root", "position": 3, "locale": "en"})
		parent := p.create(t, "parent", nil)
		first := p.create(t, "first", object{
			"parent_category_id": parent, "associated_category_id": root, "related_category_ids": array{root, parent},
		})
		second := p.create(t, "second", object{"parent_category_id": parent, "associated_category_id": root})

		c := p.get(t, first)
		for field, want := range map[string]any{
			"id": float64(first), "name": "first", "slug": "first", "locale": "en",
			"description": nil, "position": nil, "account_id": 1.0,
		} {
			if c[field] != want {
				t.Errorf("%s is %v, want %v", field, c[field], want)
			}
		}
		for _, field := range []string{"created_at", "updated_at"} {
			at, err := time.Parse(time.RFC3339, c[field].(string))
			if err != nil {
				t.Fatal(err)
			}
			expect.AtMost(t, time.Since(at).Abs(), time.Minute)
			expect.HasSuffix(t, c[field].(string), "Z")
		}
		wantRoot := object{"id": float64(root), "name": "root", "slug": "root", "locale": "en", "position": 3.0}
		if got := c["root_category"].(object); fmt.Sprint(got) != fmt.Sprint(wantRoot) {
			t.Errorf("root_category is %v, want %v", got, wantRoot)
		}
		expect.Equal(t, idOf(c["parent_category"]), parent)
		expect.Equal(t, idsOf(c["related_categories"]), []int64{root, parent})
		if got := idsOf(p.get(t, parent)["sub_category_ids"]); !slices.Equal(got, []int64{first, second}) {
			t.Errorf("sub_category_ids of the parent are %v, want creation order", got)
		}
		if got := idsOf(p.get(t, root)["associated_category_ids"]); !slices.Equal(got, []int64{first, second}) {
			t.Errorf("associated_category_ids of the root are %v, want creation order", got)
		}
		c = p.get(t, root)
		expect.Equal(t, c["parent_category"], nil)
		expect.Equal(t, c["root_category"], nil)
		expect.Equal(t, len(c["related_categories"].(array)), 0)

		r := p.update(t, second, object{"related_category_ids": array{first}, "parent_category_id": first})
		payload := r.Body["payload"].(object)
		r.Is(t, http.StatusOK, nil)
		expect.Equal(t, idsOf(payload["related_categories"]), []int64{first})
		expect.Equal(t, idOf(payload["parent_category"]), first)
		expect.Equal(t, idOf(payload["root_category"]), root)
		if got := idsOf(p.get(t, parent)["sub_category_ids"]); !slices.Equal(got, []int64{first}) {
			t.Errorf("sub_category_ids of the old parent are %v", got)
		}
		if got := idsOf(p.get(t, first)["sub_category_ids"]); !slices.Equal(got, []int64{second}) {
			t.Errorf("sub_category_ids of the new parent are %v", got)
		}
		payload = p.update(t, first, object{"related_category_ids": array{second}}).Body["payload"].(object)
		expect.Equal(t,
			idsOf(payload["related_categories"]), []int64{second}, "related_category_ids replaces the whole list")
		expect.Equal(t,
			idsOf(payload["sub_category_ids"]), []int64{second}, "related_category_ids replaces the whole list")

		// A deletion ends the links to the category, and leaves the categories that linked to it.
		if r := p.delete(t, first); r.Status != http.StatusOK || len(r.Body) != 0 {
			t.Errorf("delete answered %d %v, want 200 {}", r.Status, r.Body)
		}
		c = p.get(t, second)
		expect.Equal(t, c["parent_category"], nil, "what linked to a deleted category")
		expect.Equal(t, len(c["related_categories"].(array)), 0, "what linked to a deleted category")
		expect.Equal(t, idOf(c["root_category"]), root, "what linked to a deleted category")
		expect.Equal(t, p.get(t, first), nil)
		expect.Equal(t, len(p.list(t, "")), 3)
		if got := idsOf(p.get(t, root)["associated_category_ids"]); !slices.Equal(got, []int64{second}) {
			t.Errorf("associated_category_ids of the root are %v", got)
		}
	})
}

// TestErrorsOfTheContract shows the errors of Chatwoot's API with their own words, and that each endpoint wants
// a token.
func TestErrorsOfTheContract(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		parent := p.create(t, "parent", nil)
		fields := object{
			"name": "x", "slug": "x", "locale": "en",
			"parent_category_id": parent, "associated_category_id": parent, "related_category_ids": array{parent},
		}
		p.create(t, "x", fields)

		r := p.post(t, fields)
		r.Is(t, 422, object{"message": "Locale should be unique in the category and portal", "code": "slug_taken"})
		r = p.post(t, fixture.With(fields, object{"slug": nil}))
		r.Is(t, 422, object{"message": "Slug can't be blank"})
		if r = p.post(t, fixture.With(fields, object{"slug": "y"})); r.Status != 200 {
			t.Errorf("same locale and parent, different slug: %d %v", r.Status, r.Body)
		}
		for _, to := range []fixture.Target{
			p.to("listCategories"), p.to("createCategory"), p.to("getCategory", parent),
			p.to("updateCategory", parent), p.to("deleteCategory", parent), p.to("reorderCategories"),
		} {
			if r := p.sendAs(t, "", to, nil); r.Status != 401 {
				t.Errorf("%s without authentication: %d %v", r.Request, r.Status, r.Body)
			}
		}
	})
}

// TestCreateRules creates one category for each rule. Those that break it get 422 with the rule, and with the field
// among the attributes.
func TestCreateRules(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		other := p.create(t, "other", nil)
		many := func(n int) (list array) {
			for i := range n {
				list = append(list, p.create(t, fmt.Sprintf("rel-%d-%d", n, i), nil))
			}
			return list
		}
		const (
			reserved  = `Slug must not contain spaces, control characters, /, \, ? or #`
			invisible = "Slug must not contain invisible or bidirectional control characters"
			dots      = "Slug must not consist of dots"
			notUnique = "Locale should be unique in the category and portal"
			noLocale  = `Locale %s of category is not part of portal's ["en","es","fr"].`
			noName    = "Name can't be blank"
			noSlug    = "Slug can't be blank"
			noParent  = "Parent category must exist"
			noRoot    = "Associated category must exist"
			noRelated = "Related categories must exist"
			tooMany   = "Related categories are too many (maximum is 20)"
			longName  = "Name is too long (maximum is 255 characters)"
			controls  = "Name must not contain control characters"
			atEnds    = "Name must not begin or end with invisible characters"
			longSlug  = "Slug is too long (maximum is 255 bytes)"
			longText  = "Description is too long (maximum is 10000 characters)"
		)
		// Far more related categories than allowed, all of them repeats of 25 numbers that may exist.
		everyID := array{}
		for i := range 10_000 {
			everyID = append(everyID, i%25+1)
		}
		nothing := object{
			"locale": nil, "description": nil, "position": nil,
			"parent_category_id": nil, "associated_category_id": nil, "related_category_ids": nil,
		}
		otherLinks := object{"slug": "other", "parent_category_id": other}
		same := object{
			"parent_category_id": other, "associated_category_id": other, "related_category_ids": array{other},
		}
		for name, c := range map[string]struct {
			fields     object
			message    string // "" for success
			attributes string
		}{
			"all is well": {object{}, "", ""},
			// Clients send every field of a form. null in a new category is the same as none.
			"null is not given":          {nothing, "", ""},
			"unknown fields are ignored": {object{"colour": "red", "Slug": ""}, "", ""},
			// Positions only order: before 0 there is room for more.
			"a negative position": {object{"position": -5}, "", ""},

			"no name":                  {object{"name": nil}, noName, "name"},
			"a blank name":             {object{"name": " \t"}, noName, "name"},
			"an invisible name":        {object{"name": "\u00ad\u200b"}, noName, "name"},
			"a name with a hidden end": {object{"name": "Name\u2060"}, atEnds, "name"},
			"an invisible slug":        {object{"slug": "\u200b"}, noSlug, "slug"},
			"a name of 255 characters": {object{"name": strings.Repeat("ü", 255)}, "", ""},
			"a name of 256 characters": {object{"name": strings.Repeat("ü", 256)}, longName, "name"},
			"a name with NUL":          {object{"name": "a\x00"}, controls, "name"},
			"a name with a line break": {object{"name": "a\nb"}, controls, "name"},
			// C1 controls (U+0080 to U+009F) are no ASCII, and some terminals obey them.
			"a name with a C1 control": {object{"name": "\u009fa"}, controls, "name"},
			"a name with two faults": {
				object{"name": strings.Repeat("\x7f", 256)}, longName + ", " + controls, "name",
			},

			"no slug":                         {object{"slug": nil}, noSlug, "slug"},
			"an empty slug":                   {object{"slug": ""}, noSlug, "slug"},
			"a slug of white space":           {object{"slug": " \n"}, noSlug, "slug"},
			"a blank slug stands alone":       {object{"slug": "", "name": "", "locale": "xx"}, noSlug, "slug"},
			"a slug of 255 bytes":             {object{"slug": strings.Repeat("x", 255)}, "", ""},
			"a slug of 256 bytes":             {object{"slug": strings.Repeat("ü", 128)}, longSlug, "slug"},
			"a slug with a space":             {object{"slug": "a b"}, reserved, "slug"},
			"a slug with a no-break space":    {object{"slug": "a\u00a0b"}, reserved, "slug"},
			"a slug with a control character": {object{"slug": "a\u0007b"}, reserved, "slug"},
			"a slug with a slash":             {object{"slug": "a/b"}, reserved, "slug"},
			"a slug with a question mark":     {object{"slug": "a?"}, reserved, "slug"},
			"a slug with a number sign":       {object{"slug": "#a"}, reserved, "slug"},
			// Browsers take it for a slash. https://url.spec.whatwg.org/#path-state
			"a slug with a backslash": {object{"slug": `a\b`}, reserved, "slug"},
			// Browsers show a path in any script (RFC 3987).
			"a slug in another script": {object{"slug": "カテゴリー"}, "", ""},
			"a slug with dots":         {object{"slug": "v1.2."}, "", ""},
			// Clients remove . and .. from a path (RFC 3986 section 5.2.4), so nobody could read such a category.
			"a slug of one dot":    {object{"slug": "."}, dots, "slug"},
			"a slug of dots alone": {object{"slug": "..."}, dots, "slug"},
			// Browsers read %2e as a dot before they resolve a path.
			// https://url.spec.whatwg.org/#double-dot-path-segment
			"a slug of encoded dots":          {object{"slug": "%2e%2E"}, dots, "slug"},
			"a slug of a dot and one encoded": {object{"slug": ".%2e"}, dots, "slug"},
			"a slug with an encoded dot":      {object{"slug": "a%2e"}, "", ""},
			"a slug with a zero-width space":  {object{"slug": "a\u200bb"}, invisible, "slug"},
			// Characters that nobody sees would let two categories have what looks like one slug.
			"a slug with a joiner":            {object{"slug": "a\u200db"}, invisible, "slug"},
			"a slug with a soft hyphen":       {object{"slug": "a\u00adb"}, invisible, "slug"},
			"a slug that turns its direction": {object{"slug": "a\u202eb"}, invisible, "slug"},
			"a slug with a Hangul filler":     {object{"slug": "a\u3164b"}, invisible, "slug"},
			"a slug with a variation":         {object{"slug": "❤\ufe0f"}, invisible, "slug"},
			"a slug with a tag":               {object{"slug": "a\U000e0041b"}, invisible, "slug"},

			"a slug that is taken":                   {object{"slug": "other"}, notUnique, "locale slug"},
			"a slug that is taken, with other links": {otherLinks, notUnique, "locale slug"},
			"a slug that is taken in another locale": {object{"slug": "other", "locale": "fr"}, "", ""},

			"a locale of the portal":   {object{"locale": "es"}, "", ""},
			"another locale":           {object{"locale": "xx"}, fmt.Sprintf(noLocale, "xx"), "locale"},
			"a locale in another case": {object{"locale": "EN"}, "", ""},
			"an empty locale":          {object{"locale": ""}, "Locale can't be blank", "locale"},

			"a description of 10,000 characters": {object{"description": strings.Repeat("ü", 10_000)}, "", ""},
			// A description is a text for people, and unlike a name it may have lines.
			"a description of several lines": {object{"description": "a\r\n\tb\n"}, "", ""},
			"a description of 10,001 characters": {
				object{"description": strings.Repeat("x", 10_001)}, longText, "description",
			},

			"a parent that does not exist": {object{"parent_category_id": 4711}, noParent, "parent_category_id"},
			"a parent that is no id":       {object{"parent_category_id": -1}, noParent, "parent_category_id"},
			"a parent of id 0":             {object{"parent_category_id": 0}, noParent, "parent_category_id"},
			"parent = root = related":      {same, "", ""},

			"a root that does not exist": {object{"associated_category_id": 4711}, noRoot, "associated_category_id"},
			"a root of the largest id": {
				object{"associated_category_id": int64(1)<<53 - 1}, noRoot, "associated_category_id",
			},

			"a related one that does not exist": {
				object{"related_category_ids": array{other, 4711}}, noRelated, "related_category_ids",
			},
			"20 related ones": {object{"related_category_ids": many(20)}, "", ""},
			"21 related ones": {object{"related_category_ids": many(21)}, tooMany, "related_category_ids"},
			// Repeats are removed before they are counted.
			"21 related ones, one of them a repeat": {
				object{"related_category_ids": append(many(19), other, other)}, "", "",
			},
			"10,000 related ones": {object{"related_category_ids": everyID}, tooMany, "related_category_ids"},

			"several faults": {
				object{"name": "", "locale": "xx", "parent_category_id": 7},
				noName + ", " + fmt.Sprintf(noLocale, "xx") + ", " + noParent,
				"name locale parent_category_id",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				fields := object{"name": "n", "slug": strings.ReplaceAll(name, " ", "-")}
				fields["slug"] = strings.NewReplacer("#", "", "?", "", "/", "").Replace(fields["slug"].(string))
				for field, value := range c.fields {
					fields[field] = value
				}
				r := p.post(t, fields)
				if c.message == "" {
					if r.Status != 200 {
						t.Errorf("answer %d %v", r.Status, r.Body)
					}
					return
				}
				var attributes []string
				for _, a := range r.Body["attributes"].(array) {
					attributes = append(attributes, a.(string))
				}
				r.Is(t, 422, object{"message": c.message})
				expect.Equal(t, strings.Join(attributes, " "), c.attributes)
			})
		}
	})
}

// TestMalformedBodiesAreRefused shows that a wrong type is 400 with the path of the field, for POST and PUT alike.
func TestMalformedBodiesAreRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		x := p.create(t, "x", nil)
		category := func(fields object) object { return object{"category": fields} }
		related := func(ids any) object { return category(object{"related_category_ids": ids}) }
		parent := func(id any) object { return category(object{"parent_category_id": id}) }
		for name, c := range map[string]struct {
			body any
			want string // what the message begins with
		}{
			"nothing":                  {nil, "body is empty"},
			"no JSON":                  {"category=x", "body is not valid JSON"},
			"an array":                 {"[]", "body must be one JSON object"},
			"no category":              {object{"colour": "x"}, "category is missing"},
			"nothing in an object":     {object{}, "category is missing"},
			"a field of a wrong type":  {object{"name": 1}, "name must be a string"},
			"a category that is null":  {object{"category": nil}, "category is missing"},
			"a category that is none":  {object{"category": array{1}}, "category must be an object"},
			"a name that is a number":  {category(object{"name": 1}), "category.name must be a string"},
			"a slug that is true":      {category(object{"slug": true}), "category.slug must be a string"},
			"a position that is text":  {category(object{"position": "1"}), "category.position must be an integer"},
			"a position with fraction": {category(object{"position": 1.5}), "category.position must be an integer"},
			"a position over 2^53-1": {
				category(object{"position": 1 << 53}),
				"category.position must be an integer of at most 9007199254740991",
			},
			"a parent that is text":   {parent("7"), "category.parent_category_id must be an integer"},
			"a parent over 2^53-1":    {parent(1 << 53), "category.parent_category_id must be an integer of at most"},
			"a parent that is a list": {parent(array{7}), "category.parent_category_id must be an integer"},
			"related that is no list": {related(7), "category.related_category_ids must be an array of integers"},
			"related with text":       {related(array{7, "8"}), "category.related_category_ids[1] must be an integer"},
			"related with null":       {related(array{nil}), "category.related_category_ids[0] must be an integer"},
			"a name in another case":  {object{"Category": object{}}, "category is missing"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				// A creation and an update parse the body in the same way.
				for _, to := range []fixture.Target{p.to("createCategory"), p.to("updateCategory", x)} {
					r := p.send(t, to, c.body)
					if message, _ := r.Body["message"].(string); r.Status != 400 ||
						!strings.HasPrefix(message, c.want) {
						t.Errorf("answer %d %v, want %q", r.Status, r.Body, c.want)
					}
				}
			})
		}
		r := p.update(t, x, object{"related_category_ids": nil})
		r.Is(t, 400, nil)
		expect.Contains(t, r.Body["message"].(string), "related_category_ids", "related null on update")
	})
}

// TestABodyWithoutTheKeyCategory shows that the fields may stand at the top of the body, as the client libraries made
// from Chatwoot's own description send them. Where the key is there, what stands beside it is warned of.
func TestABodyWithoutTheKeyCategory(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		send := func(to fixture.Target, body any) answer {
			t.Helper()
			// Not by the client that compares requests with this API's own description, which has the key.
			r, err := p.Try(p.Client(), to, fixture.Token(p.agent), body)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		r := send(p.to("createCategory"), object{
			"name": "Top", "slug": "top", "locale": "es", "position": 3, "colour": "red",
		})
		r.Is(t, 200, object{"warnings": array{"unknown field colour is ignored"}})
		x := idOf(r.Body["payload"])
		expect.Equal[any](t, p.show(t, x)["name"], "Top")
		for body, warnings := range map[string]any{
			`{"description":"of it"}`:                    nil,
			`{"position":null}`:                          nil,
			`{"category":{"name":"again"},"name":"not"}`: array{"unknown field name is ignored"},
			`{"category":{},"slug":"not"}`:               array{"unknown field slug is ignored"},
		} {
			send(p.to("updateCategory", x), body).Is(t, 200, object{"warnings": warnings})
		}
		for body, message := range map[string]string{
			`{"category":null,"name":"not"}`:  "category is missing",
			`{"related_category_ids":null}`:   "related_category_ids must be an array of integers; [] empties it",
			`{"related_category_ids":[null]}`: "related_category_ids[0] must be an integer",
		} {
			send(p.to("updateCategory", x), body).Is(t, 400, object{"message": message})
		}
		c := p.show(t, x)
		expect.Equal[any](t, c["slug"], "top")
		expect.Equal[any](t, c["description"], "of it")
		expect.Equal[any](t, c["position"], nil)
		expect.Equal[any](t, c["name"], "again")
		send(p.to("createCategory"), object{"name": "Top"}).Is(t, 422, object{"message": "Slug can't be blank"})
	})
}

// TestOrderOfErrors sends requests with several faults. The answer is the first that applies of 401, 403, 400, 404,
// 422. So a stranger learns nothing of a portal, and an agent gets the first thing to mend first.
func TestOrderOfErrors(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		known := p.create(t, "x", nil)
		_, stranger := p.NewAgent(t, time.Now().Add(time.Hour))
		bad, invalid := "{", object{"category": object{"slug": ""}}
		for _, c := range []struct {
			category any
			token    string
			body     any
			want     int
		}{
			// The category, the token and the body are wrong in turn.
			{known, "", bad, 401}, {"x", "fda_1_x", bad, 401},
			{known, stranger, bad, 403}, {"x", stranger, bad, 403},
			{known, p.agent, bad, 400}, {"x", p.agent, invalid, 400},
			{1.5, p.agent, invalid, 400}, {4711, p.agent, bad, 400},
			{4711, p.agent, invalid, 404}, {0, p.agent, invalid, 404}, {-1, p.agent, invalid, 404},
			{"99999999999999999999", p.agent, invalid, 404}, {"007", p.agent, invalid, 404},
			{known, p.agent, invalid, 422},
		} {
			if r := p.sendAs(t, c.token, p.to("updateCategory", c.category), c.body); r.Status != c.want {
				t.Errorf("%s with token %.8q and body %v: %d %v, want %d",
					r.Request, c.token, c.body, r.Status, r.Body, c.want)
			}
		}
		for id, want := range map[any]int{"x": 400, 4711: 404, 0: 404, -7: 404, "007": 404} {
			for _, operation := range []string{"getCategory", "deleteCategory"} {
				if r := p.send(t, p.to(operation, id), nil); r.Status != want {
					t.Errorf("%s: %d %v, want %d", r.Request, r.Status, r.Body, want)
				}
			}
		}
	})
}

// TestABodyThatIsTooLarge shows that a huge body is refused, but only after a bad token or a missing membership.
// Unlike for a mail, the token stands outside of the body, so the body need not be read for it.
func TestABodyThatIsTooLarge(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		// Over 2 MB, far above the limit of 256 KiB.
		huge := `{"category":{"slug":"x","related_category_ids":[1` + strings.Repeat(",1", 1<<20) + `]}}`
		_, stranger := p.NewAgent(t, time.Now().Add(time.Hour))
		for token, want := range map[string]int{p.agent: 400, stranger: 403, invented: 401, "x": 401, "": 401} {
			for _, to := range []fixture.Target{
				p.to("createCategory"), p.to("updateCategory", 1), p.to("reorderCategories"),
			} {
				r := p.sendAs(t, token, to, huge)
				if r.Status != want || want == 400 && (r.Body["code"] != "too_large" ||
					r.Body["message"] != "body is too large (maximum is 262144 bytes)") {
					t.Errorf("%s with token %.6q: %d %v, want %d", r.Request, token, r.Status, r.Body, want)
				}
			}
		}
		const empty = `{"category":{}}`
		for size, want := range map[int]int{256 << 10: 422, 256<<10 + 1: 400} {
			body := empty + strings.Repeat(" ", size-len(empty))
			r := p.send(t, p.to("createCategory"), body)
			expect.Equal(t, r.Status, want, fmt.Sprintf("a body of %d bytes: status", size))
		}
	})
}
