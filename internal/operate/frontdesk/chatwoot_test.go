package main

import (
	"cmp"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

const (
	movePage      = "internal/docs/move-in.md"
	fromChatwoot  = "From Chatwoot"            // the page's part
	chatwootToken = "rVSYBmGrEqk4Qmw7RmwBuTXh" // the tokens that the page uses
	appToken      = "XuzEqAfPpXoBbBbkVbVfGvAy"

	// devisesHash is the hash that Devise 4.8.1 made of Mira's password on the page, with Chatwoot's 11 stretches and
	// no pepper.
	devisesHash = "$2a$11$Qx3WJkpX7mZq94ADeq1vIu.IaPyZUkkVLQbpgdYYWliUUnxyUTPG."
)

// chatwoot answers like Chatwoot's API, with the shapes of its swagger and its views. Two portals have 31 categories,
// in an account with six users. It is also as difficult as the real one may be: a request gets 429, categories of one
// position change places between two pages, and the data changes between two readings.
type chatwoot struct {
	categories []chatwootCategory
	hidden     id.ID // a category that no list shows, 0 for none

	portalLists atomic.Int64 // requests for the list of portals
	refused     atomic.Bool  // whether one request got its 429
}

// chatwootCategory is a category of Chatwoot, without its times and its icon, which do not matter here.
type chatwootCategory struct {
	id           id.ID
	portal       int64
	locale       string
	slug, name   string
	position     any // an int, or nil for null
	description  any // a string, or nil for null
	parent, root id.ID
	related      []id.ID
}

// newChatwoot has what the move has to mend or to keep: a slug with a slash and a question mark, a locale that the
// portal no longer offers, a parent in another portal, empty texts and missing ones.
func newChatwoot() *chatwoot {
	c := &chatwoot{}
	for n := id.ID(20); n <= 46; n++ {
		c.categories = append(c.categories, chatwootCategory{
			id: n, portal: 5, locale: "en", position: 47 - int(n),
			slug: fmt.Sprintf("topic-%d", n-19), name: fmt.Sprintf("Topic %d", n-19),
		})
	}
	billing, refunds, paying, deep := &c.categories[0], &c.categories[1], &c.categories[3], &c.categories[4]
	billing.slug, billing.name, billing.related = "billing", "Billing", []id.ID{21}
	billing.description = "Invoices,\nand how to pay them"
	refunds.slug, refunds.name, refunds.parent, refunds.description = "refunds", "Refunds", 20, ""
	paying.slug, paying.related = "how to/pay?", []id.ID{21, 20}
	deep.parent = 21
	c.categories = append(c.categories,
		chatwootCategory{id: 47, portal: 5, locale: "de", slug: "konto", name: "Konto"}, // no longer offered
		// In the list of all locales three categories share a position, at the end of a page.
		chatwootCategory{
			id: 48, portal: 5, locale: "pt_BR", slug: "cobranca", name: "Cobrança", root: 20, position: 25,
		},
		chatwootCategory{
			id: 49, portal: 5, locale: "pt_BR", slug: "reembolsos", name: "Reembolsos", parent: 48, root: 21,
			position: 25,
		},
		chatwootCategory{id: 51, portal: 6, locale: "en", slug: "api", name: "API", parent: 22},
	)
	return c
}

// change changes Chatwoot's categories between two readings.
func (c *chatwoot) change() {
	c.categories = slices.DeleteFunc(c.categories, func(of chatwootCategory) bool { return of.id == 39 })
	c.categories[0].name = "Billing and plans"
}

// portals returns the portals of the account.
func (c *chatwoot) portals() (list fixture.Array) {
	for _, p := range []struct {
		number             int64
		slug, name, locale string
		locales            []string
		archived           bool
	}{
		{5, "help", "Help", "en", []string{"en", "pt_BR"}, false},
		{6, "développeurs", "Développeurs", "en", []string{"en"}, true},
	} {
		count := func(locale string) (n int) {
			for _, of := range c.categories {
				if of.portal == p.number && (locale == "" || of.locale == locale) {
					n++
				}
			}
			return n
		}
		allowed := fixture.Array{}
		for _, locale := range p.locales {
			allowed = append(allowed, fixture.Object{
				"code": locale, "articles_count": 3, "categories_count": count(locale), "draft": locale == "pt_BR",
			})
		}
		list = append(list, fixture.Object{
			"id": p.number, "color": "#1f93ff", "custom_domain": nil, "header_text": "How can we help?",
			"homepage_link": nil, "name": p.name, "page_title": nil, "slug": p.slug, "archived": p.archived,
			"account_id": 2,
			"config": fixture.Object{
				"allowed_locales": allowed, "default_locale": p.locale, "layout": "classic",
				"social_profiles": fixture.Object{},
			},
			"meta": fixture.Object{
				"all_articles_count": nil, "categories_count": count(""), "default_locale": p.locale,
			},
		})
	}
	return list
}

// page returns a page of a portal's categories. Chatwoot sorts them only by position: categories with the same
// position come in any order, here in another one on every second page.
func (c *chatwoot) page(portal int64, locale string, page int) fixture.Array {
	list := slices.DeleteFunc(slices.Clone(c.categories), func(of chatwootCategory) bool {
		return of.portal != portal || locale != "" && of.locale != locale || of.id == c.hidden
	})
	slices.SortFunc(list, func(a, b chatwootCategory) int {
		position := func(of chatwootCategory) int {
			if n, ok := of.position.(int); ok {
				return n
			}
			return 1000 // PostgreSQL sorts what is null last
		}
		byID := cmp.Compare(a.id, b.id)
		if page%2 == 0 {
			byID = -byID
		}
		return cmp.Or(cmp.Compare(position(a), position(b)), byID)
	})
	const size = 25
	shown := fixture.Array{}
	for _, of := range list[min(len(list), (page-1)*size):min(len(list), page*size)] {
		category := c.summary(of.id)
		category["icon"], category["meta"] = "", fixture.Object{"articles_count": 2}
		if len(of.related) > 0 { // the view leaves out an empty list
			related := fixture.Array{}
			for _, other := range of.related {
				related = append(related, c.summary(other))
			}
			category["related_categories"] = related
		}
		if of.parent != 0 {
			category["parent_category"] = c.summary(of.parent)
		}
		if of.root != 0 {
			category["root_category"] = c.summary(of.root)
		}
		shown = append(shown, category)
	}
	return shown
}

// summary returns a category in the form in which other categories show it.
func (c *chatwoot) summary(number id.ID) fixture.Object {
	i := slices.IndexFunc(c.categories, func(of chatwootCategory) bool { return of.id == number })
	of := c.categories[i]
	return fixture.Object{
		"id": of.id, "name": of.name, "slug": of.slug, "locale": of.locale, "description": of.description,
		"position": of.position, "account_id": 2,
	}
}

// chatwootAgents are the users of the account. The platform app has created the first and the last.
var chatwootAgents = []struct {
	id                id.ID
	name, email, role string
	confirmed         bool
}{
	{11, "Mira", "mira@example.com", "administrator", true},
	{12, "Lena", "lena@example.com", "agent", true},
	{13, "Pim", "pim@example.com", "administrator", false},
	{14, "Jörg", "jörg@example.com", "administrator", true},
	{15, "Bo", "bo@example.com", "administrator", true},
	{16, "Omar", "omar@example.com", "agent", true},
}

// agents returns the answer of the account's list of agents.
func (c *chatwoot) agents() (list fixture.Array) {
	for _, of := range chatwootAgents {
		list = append(list, fixture.Object{
			"id": of.id, "account_id": 2, "availability_status": "offline", "auto_offline": true,
			"confirmed": of.confirmed, "email": of.email, "provider": "email", "available_name": of.name,
			"name": of.name, "role": of.role, "thumbnail": "",
		})
	}
	return list
}

// accountUsers returns the answer of the platform's list. Its ids are those of the links, and not those of the users.
func (c *chatwoot) accountUsers() (list fixture.Array) {
	for _, of := range chatwootAgents {
		list = append(list, fixture.Object{"id": of.id + 100, "account_id": 2, "user_id": of.id, "role": of.role})
	}
	return list
}

// appUser returns a user as a platform app reads it.
func (c *chatwoot) appUser(number string) fixture.Object {
	for _, of := range chatwootAgents {
		if number == of.id.String() && (of.id == 11 || of.id == 16) {
			return fixture.Object{
				"access_token": "A1b2C3d4E5", "account_id": 2, "available_name": of.name, "confirmed": of.confirmed,
				"display_name": nil, "email": of.email, "id": of.id, "name": of.name, "provider": "email",
				"pubsub_token": "p1", "custom_attributes": fixture.Object{"plan": "gold"}, "role": of.role,
				"accounts": fixture.Array{fixture.Object{"id": 2, "name": "Example", "role": of.role}},
			}
		}
	}
	return nil
}

// ServeHTTP answers 401 to a wrong token. The second list of portals begins the second reading, so the data
// changes then.
func (c *chatwoot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, body any) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(body)
	}
	var token string
	for name, values := range r.Header {
		if strings.EqualFold(name, "api_access_token") {
			token = values[0]
		}
	}
	path, isAccount := strings.CutPrefix(r.URL.Path, "/api/v1/accounts/2/")
	ofApp, isApp := strings.CutPrefix(r.URL.Path, "/platform/api/v1/")
	user, isUser := strings.CutPrefix(ofApp, "users/")
	portal, isList := strings.CutSuffix(strings.TrimPrefix(path, "portals/"), "/categories")
	switch {
	case isAccount && token != chatwootToken || isApp && token != appToken:
		answer(http.StatusUnauthorized, fixture.Object{"error": "Invalid Access Token"})
	case path == "portals":
		if c.portalLists.Add(1) == 2 {
			c.change()
		}
		list := c.portals()
		answer(http.StatusOK, fixture.Object{
			"payload": list, "meta": fixture.Object{"current_page": 1, "portals_count": len(list)},
		})
	case isAccount && isList:
		number := map[string]int64{"help": 5, "développeurs": 6}[portal]
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			page = 1
		}
		if page == 2 && !c.refused.Swap(true) {
			w.Header().Set("Retry-After", "1")
			answer(http.StatusTooManyRequests, fixture.Object{})
			return
		}
		list := c.page(number, r.URL.Query().Get("locale"), page)
		answer(http.StatusOK, fixture.Object{
			"payload": list, "meta": fixture.Object{"current_page": page, "categories_count": len(list)},
		})
	case path == "agents":
		answer(http.StatusOK, c.agents())
	case ofApp == "accounts/2/account_users":
		answer(http.StatusOK, c.accountUsers())
	case isUser && c.appUser(user) != nil:
		answer(http.StatusOK, c.appUser(user))
	case isUser:
		answer(http.StatusUnauthorized, fixture.Object{"error": "Non permissible resource"})
	default:
		answer(http.StatusNotFound, fixture.Object{"error": "Resource could not be found"})
	}
}

// moveTerminal is a terminal for the blocks of the page. In it, chatwoot.example.com leads to c, and psql returns the
// hash of Mira's password.
type moveTerminal struct {
	testing.TB
	dir, tmp string
	env      []string
}

// newMoveTerminal opens a terminal that knows a stack by its variables.
func newMoveTerminal(t testing.TB, c *chatwoot, variables map[string]string) moveTerminal {
	t.Helper()
	for _, name := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("%s is not installed: %s was not tried", name, movePage)
		}
	}
	server := httptest.NewTLSServer(c)
	t.Cleanup(server.Close)
	m := moveTerminal{TB: t, dir: t.TempDir(), tmp: t.TempDir()}
	writeTool(t, filepath.Join(m.dir, "bin"))
	if err := os.Mkdir(filepath.Join(m.dir, ".local"), 0o700); err != nil {
		t.Fatal(err)
	}
	setVariables(t, filepath.Join(m.dir, ".local", "demo.env"), variables)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	m.write("chatwoot.pem", string(certificate), 0o600)
	m.write(".curlrc", fmt.Sprintf("noproxy = *\nconnect-to = chatwoot.example.com:443:%s\ncacert = %s\n",
		server.Listener.Addr(), filepath.Join(m.dir, "chatwoot.pem")), 0o600)
	m.write("bin/psql", fmt.Sprintf("#!/bin/sh\necho '{\"id\" : 11, \"password_hash\" : %q}'\n", devisesHash), 0o700)
	m.env = append(os.Environ(), "CURL_HOME="+m.dir, "TMPDIR="+m.tmp, "CHATWOOT_DATABASE=chatwoot",
		"PATH="+filepath.Join(m.dir, "bin")+":"+os.Getenv("PATH"))
	return m
}

// write writes a file in the terminal's working folder.
func (m moveTerminal) write(name, text string, mode os.FileMode) {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), mode); err != nil {
		m.Fatal(err)
	}
}

// pastes pastes blocks one after the other, and returns what each has printed. As in a terminal, a failed block does
// not stop those after it.
func (m moveTerminal) pastes(blocks []block) (printed []string) {
	m.Helper()
	const next = "=== the next block ===\n"
	script := "set -a; . .local/demo.env; set +a\n"
	for _, b := range blocks {
		script += "echo '" + strings.TrimSuffix(next, "\n") + "'\n" + b.script
	}
	cmd := exec.CommandContext(m.Context(), "bash", "-c", script)
	cmd.Dir, cmd.Env, cmd.WaitDelay = m.dir, m.env, time.Second
	out, err := cmd.CombinedOutput()
	printed = strings.Split(string(out), next)[1:]
	if len(printed) != len(blocks) {
		m.Fatalf("%d of %d blocks were reached: %v\n%s", len(printed), len(blocks), err, out)
	}
	return printed
}

// needsExport reports whether a block needs what another system has exported: TestMoveFromChatwoot and
// TestUsersMoveFromOtherSystems paste these.
func needsExport(b block) bool {
	return strings.HasPrefix(b.name, movePage+", ") && b.name != movePage+", Export 1"
}

// moveBlocks returns the blocks of a part of the page, as they stand there.
func moveBlocks(t testing.TB, part string) []block {
	t.Helper()
	pages := readPages(t)
	i := slices.IndexFunc(pages, func(p page) bool { return p.path == movePage })
	if i < 0 {
		t.Fatalf("there is no %s", movePage)
	}
	_, text, found := strings.Cut(pages[i].text, "\n## "+part+"\n")
	if !found {
		t.Fatalf("%s has no part %s", movePage, part)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return parsePage(movePage, text).blocks
}

// TestMoveFromChatwoot: the blocks of the page bring everything over unchanged. It compares what frontdesk exports
// afterwards with what Chatwoot had. Two differences are wanted: the page's mends, and what changed in Chatwoot
// before the second reading.
func TestMoveFromChatwoot(t *testing.T) {
	t.Parallel()
	c := newChatwoot()
	before := newChatwoot().categories
	o := onProcesses(t)
	m := newMoveTerminal(t, c, variablesOf(t, o.file))
	blocks := moveBlocks(t, fromChatwoot)
	for i, printed := range m.pastes(blocks) {
		t.Run(blocks[i].name, func(t *testing.T) { blocks[i].checkShown(t, printed) })
	}

	records := recordsIn(t, o.prints("export", "--account", "2", "--with-password-hashes"))
	var got []transfer.Record
	emails := map[transfer.ID]string{}
	for _, record := range records {
		switch r := record.(type) {
		case transfer.Portal:
			r.CreatedAt = time.Time{}
			got = append(got, r)
		case transfer.Category:
			r.CreatedAt, r.UpdatedAt = time.Time{}, time.Time{}
			got = append(got, r)
		case transfer.User:
			emails[r.ID] = r.Email
		}
	}
	var members []string
	for _, record := range records {
		if of, ok := record.(transfer.Member); ok {
			members = append(members, of.Portal+" "+emails[of.User])
		}
	}
	slices.Sort(members)
	// Administrators become members. Pim has not confirmed the address, and the part of Jörg's address before the @
	// is not ASCII, so both stay behind.
	expect.Equal(t, members, []string{
		"développeurs bo@example.com", "développeurs mira@example.com", "help bo@example.com", "help mira@example.com",
	})
	wanted := []transfer.Record{
		transfer.Portal{
			Account: 2, Slug: "help", Name: "Help", Locales: []string{"en", "pt_BR"}, DefaultLocale: "en",
			FormerLocales: []string{"de"},
		},
		transfer.Portal{
			Account: 2, Slug: "développeurs", Name: "Développeurs", Locales: []string{"en"}, DefaultLocale: "en",
		},
	}
	for _, of := range before {
		if of.id != 39 { // deleted in Chatwoot before the second reading
			wanted = append(wanted, of.moved())
		}
	}
	lines := func(records []transfer.Record) (lines []string) {
		for _, record := range records {
			line, err := json.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
		slices.Sort(lines)
		return lines
	}
	expect.Equal(t, lines(got), lines(wanted), "portals and categories")

	var users []string
	for _, record := range recordsIn(t, o.prints("export", "--all")) {
		if of, ok := record.(transfer.User); ok && strings.HasSuffix(of.Email, "@example.com") {
			users = append(users, of.Name+" "+of.Email+" "+cmp.Or(string(of.CustomAttributes), "{}"))
		}
	}
	slices.Sort(users)
	expect.Equal(t, users, []string{
		"Bo bo@example.com {}", "Lena lena@example.com {}", `Mira mira@example.com {"plan":"gold"}`,
		`Omar omar@example.com {"plan":"gold"}`,
	})
	o.prints("check")
}

// moved returns the category as it should be after the move, the page's mends and the second reading.
func (of chatwootCategory) moved() transfer.Category {
	c := transfer.Category{
		Account: 2, Portal: map[int64]string{5: "help", 6: "développeurs"}[of.portal], ID: transfer.IDOf(of.id),
		Name: of.name, Slug: of.slug, Locale: of.locale, Parent: transfer.IDOf(of.parent), Root: transfer.IDOf(of.root),
	}
	for _, other := range of.related {
		c.Related = append(c.Related, transfer.IDOf(other))
	}
	if text, ok := of.description.(string); ok {
		c.Description = &text
	}
	if n, ok := of.position.(int); ok {
		position := int64(n)
		c.Position = &position
	}
	switch of.id {
	case 20:
		c.Name = "Billing and plans"
	case 23:
		c.Slug = "how-to-pay-"
	case 51:
		c.Parent = ""
	}
	return c
}

// TestMoveFromChatwootIsWholeOrNothing: if something could not be read completely, there is no file. A file that
// lacks a category would be imported without a complaint.
func TestMoveFromChatwootIsWholeOrNothing(t *testing.T) {
	for name, c := range map[string]struct {
		hidden  id.ID
		replace string // in the first block
		says    []string
	}{
		"no page has a category": {hidden: 30, says: []string{"portal help: 29 of 30 categories were read"}},
		"the token is wrong": {
			replace: chatwootToken, says: []string{"returned error: 401", "the portals were not read"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := newChatwoot()
			of.hidden = c.hidden
			of.refused.Store(true)
			m := newMoveTerminal(t, of, nil)
			blocks := moveBlocks(t, fromChatwoot)[:2]
			if c.replace != "" {
				blocks[0].script = strings.ReplaceAll(blocks[0].script, c.replace, "wrong")
			}
			printed := m.pastes(blocks)[1]
			for _, text := range c.says {
				if !strings.Contains(printed, text) {
					t.Errorf("printed %s\nwant %s", printed, text)
				}
			}
			files, err := filepath.Glob(filepath.Join(m.tmp, "*", "tree.ndjson"))
			if err != nil || len(files) > 0 {
				t.Errorf("%v: there is %v", err, files)
			}
		})
	}
}

// TestMovePageNamesWhatIsRefused: the page's table lists every fault that Chatwoot's data can have, in the dry run's
// words. Both directions: each refusal of the import is on the page, and each row of the page is a refusal.
func TestMovePageNamesWhatIsRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		pages := readPages(t)
		_, table, _ := strings.Cut(pages[slices.IndexFunc(pages, func(p page) bool { return p.path == movePage })].text,
			"\n| it says |")
		var rows []*regexp.Regexp
		for _, row := range strings.Split(table, "\n")[2:] {
			cell, _, isRow := strings.Cut(strings.TrimPrefix(row, "|"), "|")
			if !isRow {
				break
			}
			for _, phrase := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
				rows = append(rows, regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(phrase[1]), "…", ".+")))
			}
		}

		text := `{"frontdesk_transfer":1}
{"kind":"portal","account":2,"slug":"help","name":"Help","locales":["en"]}
`
		record := func(fields string, args ...any) { text += fmt.Sprintf(fields, args...) + "\n" }
		n := 100
		category := func(fields string, args ...any) {
			n++
			record(`{"kind":"category","account":2,"portal":"help","id":%d,%s}`, n, fmt.Sprintf(fields, args...))
		}
		related := "1000"
		for i := range 20 {
			related += fmt.Sprintf(",%d", 1001+i)
		}
		record(`{"kind":"portal","account":2,"slug":"cafe\u0301","name":"Café","locales":["en"]}`)
		record(`{"kind":"portal","account":2,"slug":"other","name":"Other","locales":["english!"]}`)
		category(`"name":"A","slug":"a b"`)
		category(`"name":"A","slug":"caf\u00e9"`)
		category(`"name":"A","slug":"cafe\u0301"`)
		category(`"name":"A","slug":"c","parent_category_id":999`)
		category(`"name":"A","slug":"d","associated_category_id":999`)
		category(`"name":"A","slug":"e","related_category_ids":[999]`)
		category(`"name":"A","slug":"f","related_category_ids":[%s]`, related)
		category(`"name":"A","slug":"g","associated_category_id":%d`, n+1)
		category(`"name":"A","slug":"h","parent_category_id":%d`, n+2)
		category(`"name":"A","slug":"i","parent_category_id":%d`, n)
		category(`"name":%q,"slug":"j"`, strings.Repeat("A", 256))
		category(`"name":"two\nlines","slug":"k"`)
		category(`"name":"A","slug":"l","description":%q`, strings.Repeat("A", 10001))
		record(`{"kind":"user","id":1,"name":"J\u00f6rg","email":"j\u00f6rg@example.com"}`)
		record(`{"kind":"user","id":2,"name":"Ada"}`)
		record(`{"kind":"user","id":3,"email":"ada@example.com"}`)
		record(`{"kind":"user","id":4,"name":"Bo","email":"bo@example.com","custom_attributes":{"a":%q}}`,
			strings.Repeat("A", 17<<10))
		record(`{"kind":"user","id":5,"name":"Cy","email":"cy@example.com","password_hash":%q}`,
			"5f4dcc3b5aa765d61d8327deb882")
		record(`{"kind":"end"}`)
		file := filepath.Join(t.TempDir(), "faults.ndjson")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		o := onStack(t, fixture.WithoutFunctions(t))
		out, err := o.frontdesk("--json", "import", file, "--dry-run")
		var said imported
		if err == nil || json.Unmarshal([]byte(out), &said) != nil {
			t.Fatalf("%v, printed %s", err, out)
		}
		named := map[*regexp.Regexp]bool{}
		lines := map[int]bool{}
		for _, fault := range said.Wrong {
			lines[fault.Line] = true
			i := slices.IndexFunc(rows, func(row *regexp.Regexp) bool { return row.MatchString(fault.What) })
			if i < 0 {
				t.Errorf("the page does not name line %d: %s", fault.Line, fault.What)
				continue
			}
			named[rows[i]] = true
		}
		for _, row := range rows {
			if !named[row] {
				t.Errorf("nothing is refused as %s", row)
			}
		}
		// All are, but for the first line and the last, the first portal, and the first of the two spellings.
		expect.Equal(t, len(lines), strings.Count(text, "\n")-4, "faulty lines")
	})
}
