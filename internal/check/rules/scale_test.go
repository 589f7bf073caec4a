package rules_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"frontdesk/internal/check"
	"frontdesk/internal/check/rules"
	"frontdesk/internal/credential"
	"frontdesk/internal/expect"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// large simulates a large table without faults: one platform app, its users, each with an agent token, and one portal
// whose categories form a tree with ten below each. It makes items as they are read. They come one kind after the
// other, so that no page has two items that belong together: the worst case for memory.
type large struct {
	users, categories int
	read              func()
}

const (
	app    = id.ID(1)
	fanOut = 10
	others = 4 // items besides those of users and categories
	then   = "2026-01-01T00:00:00Z"
)

var handbook = table.Portal{Account: 1, Slug: "handbook"}

// ScanPage returns every segments-th item. The sort key of the last key is the item's number.
func (l large) ScanPage(
	_ context.Context, segment, segments, limit int, after table.Key,
) (items []dynamo.Item, last table.Key, err error) {
	n := segment
	if after.SK != "" {
		if n, err = strconv.Atoi(after.SK); err != nil {
			return nil, last, err
		}
		n += segments
	}
	for ; n < others+5*l.users+3*l.categories && len(items) < limit; n += segments {
		items = append(items, l.item(n))
		last = table.Key{PK: "number", SK: strconv.Itoa(n)}
	}
	if len(items) < limit {
		last = table.Key{}
	}
	l.read()
	return items, last, nil
}

// item returns the item with a number from 0.
func (l large) item(n int) dynamo.Item {
	switch n {
	case 0:
		return item(table.App(app), "id", 1, "name", "app")
	case 1:
		portal := item(handbook.Key(), "account", 1, "slug", "handbook", "name", "Handbook", "default_locale", "en")
		portal["locales"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{text("en")}}
		return portal
	case 2:
		return item(table.Listed(table.App(app)))
	case 3:
		return item(table.Listed(handbook.Key()))
	}
	if n -= others; n < 5*l.users {
		return userItem(n/l.users, n%l.users+1)
	}
	n -= 5 * l.users
	return l.categoryItem(n/l.categories, n%l.categories+1)
}

// userItem returns one of the five items of a user.
func userItem(kind, n int) dynamo.Item {
	user, email := id.ID(n), fmt.Sprintf("user-%d@example.org", n)
	switch kind {
	case 0:
		return item(table.User(user), "id", n, "name", "Ada Lovelace", "email", email,
			"created_at", then, "updated_at", then, "generation", 1)
	case 1:
		return item(table.Email(email), "user", n, "generation", 1,
			"hash", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaA")
	case 2:
		return item(table.PermissibleLink(app, user), "user", n, "created_at", then)
	case 3:
		return item(table.LinkedApp(user, app))
	default:
		return item(table.AgentToken(user, credential.Digest{byte(n)}), "created_at", then, "expires_at", 4_000_000_000)
	}
}

// categoryItem returns one of the three items of a category. A category without a parent is its own root.
func (l large) categoryItem(kind, n int) dynamo.Item {
	slug, above, link, field := fmt.Sprintf("category-%d", n), n/fanOut, "SUB", "parent"
	if above == 0 {
		above, link, field = n, "ASSOC", "root"
	}
	switch kind {
	case 0:
		return item(handbook.Category(id.ID(n)), "id", n, "name", "Category", "slug", slug, "locale", "en",
			"description", "What it is about", field, above, "version", 1, "created_at", then, "updated_at", then)
	case 1:
		return item(handbook.IndexItem(id.ID(above), link, id.ID(n)), "target", above, "kind", link, "source", n)
	default:
		return item(handbook.SlugOwner("en", slug), "category", n)
	}
}

// item builds an item from pairs of names and values, which are strings or numbers.
func item(k table.Key, fields ...any) dynamo.Item {
	made := dynamo.Item{"PK": text(k.PK), "SK": text(k.SK)}
	for i := 0; i < len(fields); i += 2 {
		switch value := fields[i+1].(type) {
		case string:
			made[fields[i].(string)] = text(value)
		case int:
			made[fields[i].(string)] = number(value)
		}
	}
	return made
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func number(n int) types.AttributeValue  { return &types.AttributeValueMemberN{Value: strconv.Itoa(n)} }

// TestMemoryIsBounded shows that a check keeps a few hashes per item, and looks up nothing in a table without faults.
func TestMemoryIsBounded(t *testing.T) {
	const users, perItem, page = 12_500, 40, 2 << 20
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most, pages := heap(), uint64(0), 0
	source := large{users: users, categories: 1000, read: func() {
		if pages++; pages%13 == 0 {
			most = max(most, heap())
		}
	}}
	report, err := check.Run(t.Context(), table.Table{}, rules.All, check.Options{Source: source})
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "report.Suspects", report.Suspects, 0)
	expect.Equal(t, "users", report.Counts["user"], users)
	expect.AtLeast(t, "report.Items", report.Items, 4*users)
	if kept := most - before; kept > page+uint64(report.Items)*perItem {
		t.Errorf("%d bytes for %d items", kept, report.Items)
	} else {
		t.Logf("%d bytes for %d items in %d pages", kept, report.Items, pages)
	}
}

// BenchmarkAMillionUsers checks the items of a million users and 100,000 categories in 4 segments, and reports the peak
// of the process's memory.
func BenchmarkAMillionUsers(b *testing.B) {
	source := large{users: 1_000_000, categories: 100_000, read: func() {}}
	for b.Loop() {
		report, err := check.Run(b.Context(), table.Table{}, rules.All, check.Options{Source: source, Segments: 4})
		if err != nil || report.Suspects != 0 {
			b.Fatalf("%+v, %v", report, err)
		}
		b.ReportMetric(float64(report.Items), "items")
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
		if kb, err := strconv.Atoi(string(bytes.Fields(rest)[0])); err == nil {
			b.ReportMetric(float64(kb)/1024, "MiB-peak")
		}
	}
}
