package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/tree"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestDamagedItemsAreNamed shows that an item which cannot be decoded, or which lacks its identity, is reported with
// its key, and that the check goes on.
func TestDamagedItemsAreNamed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		tenant := stack.NewTenant(t)
		a := stack.NewCategory(t, tenant.Portal, tree.Category{Name: "a"})
		b := stack.NewCategory(t, tenant.Portal, tree.Category{Name: "b", Parent: a})
		const address = "agent-0@example.com"
		digest := [32]byte{1}
		at := time.Now().UTC()
		var token table.Key
		for _, item := range stack.Items(t) {
			if k := table.KeyOf(item); k.Kind() == "agent token" {
				token = k
			}
		}
		type object = fixture.Object
		set := &types.AttributeValueMemberSS{Value: []string{"x"}}
		p, user := tenant.Portal, tenant.Agent.ID
		for name, c := range map[string]struct {
			key    table.Key
			damage object // attributes to set; nil removes one
			want   string // text expected besides the key
		}{
			"a mail key of another type": {table.MailKey(tenant.MailKey.ID), object{"digest": "x"}, "digest"},
			"a mail key without id":      {table.MailKey(tenant.MailKey.ID), object{"id": nil}, "says that"},
			"a mail key's bad redirect": {
				table.MailKey(tenant.MailKey.ID), object{"redirect": "x"}, "has no good redirect",
			},
			"domains without a redirect": {
				table.MailKey(tenant.MailKey.ID), object{"redirect_allow": []string{"example.org"}},
				"has no good redirect",
			},
			"a mail key's day with a text": {table.MailDay(1, at), object{"recipients": "x"}, "recipients"},
			"an idempotency record":        {table.Idempotency(1, digest), object{"lease": "x"}, "lease"},
			"an event with a broken time":  {table.MailEvent("0100", "x"), object{"at": "x"}, "at"},
			"a logged mail without a set":  {table.LoggedMail(1, 0, "x"), object{"outcomes": 7}, "outcomes"},
			"a platform app without id":    {table.App(tenant.App.ID), object{"id": nil}, "says that"},
			"a link of another type":       {table.PermissibleLink(tenant.App.ID, user), object{"user": "x"}, "user"},
			"a user with a set for a text": {table.User(user), object{"name": set}, "name"},
			"a user without id":            {table.User(user), object{"id": nil}, "says that"},
			"an owner of another type":     {table.Email(address), object{"generation": "x"}, "generation"},
			"an owner with a set":          {table.Email(address), object{"user": set}, "user"},
			"an owner without user":        {table.Email(address), object{"user": nil}, "does not exist"},
			"attempts of another type":     {table.SignInAttempts(address), object{"marks": "x"}, "marks"},
			"an agent token with a text":   {token, object{"expires_at": "x"}, "expires_at"},
			"a login token without user":   {table.LoginToken(user, digest), object{"expires_at": 4e9}, "says that"},
			"a login token with a set":     {table.LoginToken(user, digest), object{"user": set}, "user"},
			"an unanswered login": {table.UnansweredLogin(user, digest), object{"expires_at": "x"},
				"expires_at"},
			"a portal with a text":         {p.Key(), object{"locales": "x"}, "locales"},
			"a member of another type":     {p.Member(user), object{"user": "x"}, "user"},
			"a category with a set":        {p.Category(b), object{"slug": set}, "slug"},
			"a category without id":        {p.Category(b), object{"id": nil}, "says that"},
			"a category without locale":    {p.Category(b), object{"locale": nil}, "has no locale"},
			"a category without slug":      {p.Category(b), object{"slug": nil}, "has no slug"},
			"a slug owner of another type": {p.SlugOwner("en", "b"), object{"category": "x"}, "category"},
			"an index item with a text":    {p.IndexItem(a, "SUB", b), object{"source": "x"}, "source"},
			"an index item without kind":   {p.IndexItem(a, "SUB", b), object{"kind": nil}, "says that"},
		} {
			items, err := stack.Table.Read(t.Context(), c.key)
			if err != nil {
				t.Fatal(err)
			}
			damage := stack.Table.UpdateItem(c.key)
			for attribute, value := range c.damage {
				if value == nil {
					damage.Remove(attribute)
				} else {
					damage.Set(attribute, value)
				}
			}
			if err := damage.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			report, err := run(t, stack.Table, check.Options{})
			named := func(f check.Fault) bool {
				return strings.Contains(f.What, c.key.String()) && strings.Contains(f.What, c.want) &&
					(f.Do != "" || c.key.Kind() == "index item") // which a repair mends
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			expect.Equal(t, slices.ContainsFunc(report.Faults, named), true, name+": report.Faults has named")
			if err := stack.Table.DeleteItem(c.key).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if items[c.key] != nil {
				if err := stack.Table.Put(items[c.key]).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			stack.MustBeWhole(t)
		}
	})
}

// run checks a table.
func run(t testing.TB, tab table.Table, o check.Options) (check.Report, error) {
	t.Helper()
	o.Pause = time.Millisecond
	return check.Run(t.Context(), tab, registry.Kinds(), o)
}
