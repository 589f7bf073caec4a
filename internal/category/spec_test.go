package category_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestASmallTree walks through all that the contract says of links.
func TestASmallTree(t *testing.T) {
	d := open(t)
	root := d.named(t, "root", object{"description": "The root", "position": 3, "locale": "en"})
	parent := d.named(t, "parent", nil)
	first := d.named(t, "first", object{"parent_category_id": parent, "associated_category_id": root, "related_category_ids": array{root, parent}})
	second := d.named(t, "second", object{"parent_category_id": parent, "associated_category_id": root})

	c := d.get(t, first)
	for field, want := range map[string]any{
		"id": float64(first), "name": "first", "slug": "first", "locale": "en", "description": nil, "position": nil, "account_id": 1.0,
	} {
		if c[field] != want {
			t.Errorf("%s is %v, want %v", field, c[field], want)
		}
	}
	for _, field := range []string{"created_at", "updated_at"} {
		at, err := time.Parse(time.RFC3339, c[field].(string))
		if err != nil || time.Since(at).Abs() > time.Minute || !strings.HasSuffix(c[field].(string), "Z") {
			t.Errorf("%s is %v", field, c[field])
		}
	}
	wantRoot := object{"id": float64(root), "name": "root", "slug": "root", "locale": "en", "position": 3.0}
	if got := c["root_category"].(object); fmt.Sprint(got) != fmt.Sprint(wantRoot) {
		t.Errorf("root_category is %v, want %v", got, wantRoot)
	}
	if idOf(c["parent_category"]) != parent || !slices.Equal(idsOf(c["related_categories"]), []int64{root, parent}) {
		t.Errorf("links of %v", c)
	}
	if got := idsOf(d.get(t, parent)["sub_category_ids"]); !slices.Equal(got, []int64{first, second}) {
		t.Errorf("sub_category_ids of the parent are %v, want creation order", got)
	}
	if got := idsOf(d.get(t, root)["associated_category_ids"]); !slices.Equal(got, []int64{first, second}) {
		t.Errorf("associated_category_ids of the root are %v, want creation order", got)
	}
	if c := d.get(t, root); c["parent_category"] != nil || c["root_category"] != nil || len(c["related_categories"].(array)) != 0 {
		t.Errorf("related links are directional; the root has %v", c)
	}

	r := d.update(t, second, object{"related_category_ids": array{first}, "parent_category_id": first})
	payload := r.Body["payload"].(object)
	if r.HTTP != http.StatusOK || idOf(payload["parent_category"]) != first || !slices.Equal(idsOf(payload["related_categories"]), []int64{first}) || idOf(payload["root_category"]) != root {
		t.Errorf("updated %d %v", r.HTTP, r.Body)
	}
	if got := idsOf(d.get(t, parent)["sub_category_ids"]); !slices.Equal(got, []int64{first}) {
		t.Errorf("sub_category_ids of the old parent are %v", got)
	}
	if got := idsOf(d.get(t, first)["sub_category_ids"]); !slices.Equal(got, []int64{second}) {
		t.Errorf("sub_category_ids of the new parent are %v", got)
	}
	r = d.update(t, first, object{"related_category_ids": array{second}})
	if payload := r.Body["payload"].(object); !slices.Equal(idsOf(payload["related_categories"]), []int64{second}) || !slices.Equal(idsOf(payload["sub_category_ids"]), []int64{second}) {
		t.Errorf("related_category_ids replaces the whole list: %v", payload)
	}

	if r := d.delete(t, first); r.HTTP != http.StatusOK || len(r.Body) != 0 {
		t.Errorf("delete answered %d %v, want 200 {}", r.HTTP, r.Body)
	}
	c = d.get(t, second)
	if c["parent_category"] != nil || len(c["related_categories"].(array)) != 0 || idOf(c["root_category"]) != root {
		t.Errorf("what linked to a deleted category: %v", c)
	}
	if d.get(t, first) != nil || len(d.list(t, "")) != 3 {
		t.Error("it is still there")
	}
	if got := idsOf(d.get(t, root)["associated_category_ids"]); !slices.Equal(got, []int64{second}) {
		t.Errorf("associated_category_ids of the root are %v", got)
	}
}

func TestErrorsOfTheContract(t *testing.T) {
	d := open(t)
	parent := d.named(t, "parent", nil)
	fields := object{"name": "x", "slug": "x", "locale": "en", "parent_category_id": parent, "associated_category_id": parent, "related_category_ids": array{parent}}
	d.create(t, fields)

	r := d.call(t, "POST", d.path, d.agent, object{"category": fields})
	if r.HTTP != 422 || r.Body["message"] != "Locale should be unique in the category and portal" {
		t.Errorf("repeated with identical locale, slug and links: %d %v", r.HTTP, r.Body)
	}
	delete(fields, "slug")
	r = d.call(t, "POST", d.path, d.agent, object{"category": fields})
	if r.HTTP != 422 || r.Body["message"] != "Slug can't be blank" {
		t.Errorf("without slug: %d %v", r.HTTP, r.Body)
	}
	fields["slug"] = "y"
	if r = d.call(t, "POST", d.path, d.agent, object{"category": fields}); r.HTTP != 200 {
		t.Errorf("same locale and parent, different slug: %d %v", r.HTTP, r.Body)
	}
	for _, c := range []struct{ method, path string }{{"GET", ""}, {"POST", ""}, {"PUT", fmt.Sprintf("/%d", parent)}, {"DELETE", fmt.Sprintf("/%d", parent)}} {
		if r := d.call(t, c.method, d.path+c.path, "", nil); r.HTTP != 401 {
			t.Errorf("%s without authentication: %d %v", c.method, r.HTTP, r.Body)
		}
	}
}

// TestCreateRules: one category each that is against a rule; 422 with the rule, the field among attributes.
func TestCreateRules(t *testing.T) {
	d := open(t)
	other := d.named(t, "other", nil)
	many := func(n int) (list array) {
		for i := range n {
			list = append(list, d.named(t, fmt.Sprintf("rel-%d-%d", n, i), nil))
		}
		return list
	}
	for name, c := range map[string]struct {
		fields     object
		message    string // "" for success
		attributes string
	}{
		"all is well":                            {object{}, "", ""},
		"no name":                                {object{"name": nil}, "Name can't be blank", "name"},
		"a blank name":                           {object{"name": " \t"}, "Name can't be blank", "name"},
		"a name of 255 characters":               {object{"name": strings.Repeat("ü", 255)}, "", ""},
		"a name of 256 characters":               {object{"name": strings.Repeat("ü", 256)}, "Name is too long (maximum is 255 characters)", "name"},
		"no slug":                                {object{"slug": nil}, "Slug can't be blank", "slug"},
		"an empty slug":                          {object{"slug": ""}, "Slug can't be blank", "slug"},
		"a slug of white space":                  {object{"slug": " \n"}, "Slug can't be blank", "slug"},
		"a blank slug stands alone":              {object{"slug": "", "name": "", "locale": "xx"}, "Slug can't be blank", "slug"},
		"a slug of 255 bytes":                    {object{"slug": strings.Repeat("x", 255)}, "", ""},
		"a slug of 256 bytes":                    {object{"slug": strings.Repeat("ü", 128)}, "Slug is too long (maximum is 255 bytes)", "slug"},
		"a slug with a space":                    {object{"slug": "a b"}, "Slug must not contain spaces, control characters, /, ? or #", "slug"},
		"a slug with a no-break space":           {object{"slug": "a\u00a0b"}, "Slug must not contain spaces, control characters, /, ? or #", "slug"},
		"a slug with a control character":        {object{"slug": "a\u0007b"}, "Slug must not contain spaces, control characters, /, ? or #", "slug"},
		"a slug with a slash":                    {object{"slug": "a/b"}, "Slug must not contain spaces, control characters, /, ? or #", "slug"},
		"a slug with a question mark":            {object{"slug": "a?"}, "Slug must not contain spaces, control characters, /, ? or #", "slug"},
		"a slug with a number sign":              {object{"slug": "#a"}, "Slug must not contain spaces, control characters, /, ? or #", "slug"},
		"a slug in another script":               {object{"slug": "カテゴリー"}, "", ""},
		"a locale of the portal":                 {object{"locale": "es"}, "", ""},
		"another locale":                         {object{"locale": "xx"}, `Locale xx of category is not part of portal's ["en","es","fr"].`, "locale"},
		"a locale in another case":               {object{"locale": "EN"}, `Locale EN of category is not part of portal's ["en","es","fr"].`, "locale"},
		"an empty locale":                        {object{"locale": ""}, "Locale can't be blank", "locale"},
		"a description of 10,000 characters":     {object{"description": strings.Repeat("ü", 10_000)}, "", ""},
		"a description of 10,001 characters":     {object{"description": strings.Repeat("x", 10_001)}, "Description is too long (maximum is 10000 characters)", "description"},
		"a parent that does not exist":           {object{"parent_category_id": 4711}, "Parent category must exist", "parent_category_id"},
		"a parent that is no id":                 {object{"parent_category_id": -1}, "Parent category must exist", "parent_category_id"},
		"a parent of id 0":                       {object{"parent_category_id": 0}, "Parent category must exist", "parent_category_id"},
		"a root that does not exist":             {object{"associated_category_id": 4711}, "Associated category must exist", "associated_category_id"},
		"a root of a huge id":                    {object{"associated_category_id": int64(1) << 62}, "Associated category must exist", "associated_category_id"},
		"a related one that does not exist":      {object{"related_category_ids": array{other, 4711}}, "Related categories must exist", "related_category_ids"},
		"20 related ones":                        {object{"related_category_ids": many(20)}, "", ""},
		"21 related ones":                        {object{"related_category_ids": many(21)}, "Related categories are too many (maximum is 20)", "related_category_ids"},
		"21 related ones, one of them a repeat":  {object{"related_category_ids": append(many(19), other, other)}, "", ""},
		"10,000 related ones":                    {object{"related_category_ids": slices.Repeat(array{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}, 400)}, "Related categories are too many (maximum is 20)", "related_category_ids"},
		"several faults":                         {object{"name": "", "locale": "xx", "parent_category_id": 7}, `Name can't be blank, Locale xx of category is not part of portal's ["en","es","fr"]., Parent category must exist`, "name locale parent_category_id"},
		"a slug that is taken":                   {object{"slug": "other"}, "Locale should be unique in the category and portal", "locale slug"},
		"a slug that is taken, with other links": {object{"slug": "other", "parent_category_id": other}, "Locale should be unique in the category and portal", "locale slug"},
		"a slug that is taken in another locale": {object{"slug": "other", "locale": "fr"}, "", ""},
		"parent = root = related":                {object{"parent_category_id": other, "associated_category_id": other, "related_category_ids": array{other}}, "", ""},
		"null is not given":                      {object{"locale": nil, "description": nil, "position": nil, "parent_category_id": nil, "associated_category_id": nil, "related_category_ids": nil}, "", ""},
		"unknown fields are ignored":             {object{"colour": "red", "Slug": ""}, "", ""},
		"a negative position":                    {object{"position": -5}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			fields := object{"name": "n", "slug": strings.ReplaceAll(name, " ", "-")}
			fields["slug"] = strings.NewReplacer("#", "", "?", "", "/", "").Replace(fields["slug"].(string))
			for field, value := range c.fields {
				fields[field] = value
			}
			r := d.call(t, "POST", d.path, d.agent, object{"category": fields})
			if c.message == "" {
				if r.HTTP != 200 {
					t.Errorf("answer %d %v", r.HTTP, r.Body)
				}
				return
			}
			var attributes []string
			for _, a := range r.Body["attributes"].(array) {
				attributes = append(attributes, a.(string))
			}
			if r.HTTP != 422 || r.Body["message"] != c.message || strings.Join(attributes, " ") != c.attributes {
				t.Errorf("answer %d %v, want %q of %s", r.HTTP, r.Body, c.message, c.attributes)
			}
		})
	}
}

func TestMalformedBodies(t *testing.T) {
	d := open(t)
	target := fmt.Sprintf("%s/%d", d.path, d.named(t, "x", nil))
	for name, c := range map[string]struct {
		body any
		want string
	}{
		"nothing":                  {nil, "body is not valid JSON"},
		"no JSON":                  {"category=x", "body is not valid JSON"},
		"an array":                 {"[]", "body must be one JSON object"},
		"no category":              {object{"name": "x"}, "category is missing"},
		"a category that is null":  {object{"category": nil}, "category is missing"},
		"a category that is none":  {object{"category": array{}}, "category must be an object"},
		"a name that is a number":  {object{"category": object{"name": 1}}, "category.name must be a string"},
		"a slug that is true":      {object{"category": object{"slug": true}}, "category.slug must be a string"},
		"a position that is text":  {object{"category": object{"position": "1"}}, "category.position must be an integer"},
		"a position with fraction": {object{"category": object{"position": 1.5}}, "category.position must be an integer"},
		"a parent that is text":    {object{"category": object{"parent_category_id": "7"}}, "category.parent_category_id must be an integer"},
		"a parent that is a list":  {object{"category": object{"parent_category_id": array{7}}}, "category.parent_category_id must be an integer"},
		"related that is no list":  {object{"category": object{"related_category_ids": 7}}, "category.related_category_ids must be an array of integers"},
		"related with text":        {object{"category": object{"related_category_ids": array{7, "8"}}}, "category.related_category_ids[1] must be an integer"},
		"related with null":        {object{"category": object{"related_category_ids": array{nil}}}, "category.related_category_ids[0] must be an integer"},
		"a name in another case":   {object{"Category": object{}}, "category is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []reply{d.call(t, "POST", d.path, d.agent, c.body), d.call(t, "PUT", target, d.agent, c.body)} {
				if message, _ := r.Body["message"].(string); r.HTTP != 400 || !strings.HasPrefix(message, c.want) {
					t.Errorf("answer %d %v, want %q", r.HTTP, r.Body, c.want)
				}
			}
		})
	}
	r := d.call(t, "PUT", target, d.agent, object{"category": object{"related_category_ids": nil}})
	if r.HTTP != 400 || !strings.Contains(r.Body["message"].(string), "related_category_ids") {
		t.Errorf("related null on update: %d %v", r.HTTP, r.Body)
	}
}

// TestOrderOfErrors: 401, 403, 400, 404, 422.
func TestOrderOfErrors(t *testing.T) {
	d := open(t)
	known := fmt.Sprintf("/%d", d.named(t, "x", nil))
	_, stranger := d.newAgent(t, time.Now().Add(time.Hour))
	bad, invalid := "{", object{"category": object{"slug": ""}}
	for _, c := range []struct {
		path, token string
		body        any
		want        int
	}{
		{known, "", bad, 401}, {"/x", "fda_1_x", bad, 401},
		{known, stranger, bad, 403}, {"/x", stranger, bad, 403},
		{known, d.agent, bad, 400}, {"/x", d.agent, invalid, 400}, {"/1.5", d.agent, invalid, 400}, {"/4711", d.agent, bad, 400},
		{"/4711", d.agent, invalid, 404}, {"/0", d.agent, invalid, 404}, {"/-1", d.agent, invalid, 404}, {"/99999999999999999999", d.agent, invalid, 404}, {"/007", d.agent, invalid, 404},
		{known, d.agent, invalid, 422},
	} {
		if r := d.call(t, "PUT", d.path+c.path, c.token, c.body); r.HTTP != c.want {
			t.Errorf("PUT %s with token %.8q and body %v: %d %v, want %d", c.path, c.token, c.body, r.HTTP, r.Body, c.want)
		}
	}
	for path, want := range map[string]int{"/x": 400, "/4711": 404, "/0": 404, "/-7": 404} {
		if r := d.call(t, "DELETE", d.path+path, d.agent, nil); r.HTTP != want {
			t.Errorf("DELETE %s: %d %v, want %d", path, r.HTTP, r.Body, want)
		}
	}
}

// TestABodyThatIsTooLarge is refused without much work, and a token that is none before it is looked at.
func TestABodyThatIsTooLarge(t *testing.T) {
	d := open(t)
	huge := `{"category":{"slug":"x","related_category_ids":[1` + strings.Repeat(",1", 1<<20) + `]}}`
	_, stranger := d.newAgent(t, time.Now().Add(time.Hour))
	for token, want := range map[string]int{d.agent: 400, stranger: 403, "fda_1_" + strings.Repeat("0", 64): 401, "x": 401, "": 401} {
		for method, path := range map[string]string{"POST": d.path, "PUT": d.path + "/1"} {
			r := d.call(t, method, path, token, huge)
			if r.HTTP != want || want == 400 && r.Body["message"] != "body is too large (maximum is 262144 bytes)" {
				t.Errorf("%s with token %.6q: %d %v, want %d", method, token, r.HTTP, r.Body, want)
			}
		}
	}
}
