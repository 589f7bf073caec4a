package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/base/table/itemjson"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/operate/personaldata"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/operate/restore"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
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
		return item(table.DirectoryEntry(table.App(app)))
	case 3:
		return item(table.DirectoryEntry(handbook.Key()))
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
	report, err := check.Run(t.Context(), table.Table{}, registry.Kinds(), check.Options{Source: source})
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, report.Suspects, 0)
	expect.Equal(t, report.Counts["user"], users, "users")
	expect.AtLeast(t, report.Items, 4*users)
	if kept := most - before; kept > page+uint64(report.Items)*perItem {
		t.Errorf("%d bytes for %d items", kept, report.Items)
	} else {
		t.Logf("%d bytes for %d items in %d pages", kept, report.Items, pages)
	}
}

// server answers the calls of DynamoDB that walks make, from memory: it makes the items of a table as they are asked
// for.
type server struct{ large }

// RoundTrip implements [http.RoundTripper].
func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	var in struct {
		Segment, TotalSegments, Limit int
		ExclusiveStartKey             itemjson.Document
		RequestItems                  map[string]struct{ Keys []itemjson.Document }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	var out any
	switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
	case "Scan":
		after := table.KeyOf(dynamo.Item(in.ExclusiveStartKey))
		items, last, err := s.ScanPage(r.Context(), in.Segment, in.TotalSegments, in.Limit, after)
		if err != nil {
			return nil, err
		}
		page := map[string]any{"Items": documents(items)}
		if last != (table.Key{}) {
			page["LastEvaluatedKey"] = itemjson.Document(item(last))
		}
		out = page
	case "BatchGetItem":
		found := map[string]any{}
		for name, of := range in.RequestItems {
			var items []dynamo.Item
			for _, k := range of.Keys {
				if n, ok := s.numberOf(table.KeyOf(dynamo.Item(k))); ok {
					items = append(items, s.item(n))
				}
			}
			found[name] = documents(items)
		}
		out = map[string]any{"Responses": found, "UnprocessedKeys": map[string]any{}}
	case "DescribeTable":
		out = map[string]any{"Table": map[string]any{"TableName": "large", "TableArn": "arn:large"}}
	default:
		return nil, fmt.Errorf("the server knows no %s", operation)
	}
	body, err := json.Marshal(out)
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Header: http.Header{},
	}, err
}

func documents(items []dynamo.Item) []itemjson.Document {
	all := make([]itemjson.Document, len(items))
	for i, item := range items {
		all[i] = itemjson.Document(item)
	}
	return all
}

// numberOf returns the number of the item with a key, if the table has it.
func (l large) numberOf(k table.Key) (n int, found bool) {
	switch k {
	case table.App(app):
		return 0, true
	case handbook.Key():
		return 1, true
	}
	of := map[string]int{
		table.Users: 0, table.Emails: 1, table.PermissibleLinks: 2, table.LinkedApps: 3, table.AgentTokens: 4,
	}
	prefix, rest, _ := strings.Cut(k.PK, "#")
	kind, known := of[prefix+"#"]
	if !known {
		return 0, false
	}
	digits := rest
	switch kind {
	case 1:
		digits, _, _ = strings.Cut(strings.TrimPrefix(rest, "user-"), "@")
	case 2:
		digits = strings.TrimPrefix(k.SK, table.Users)
	}
	user, err := strconv.Atoi(strings.TrimLeft(digits, "0"))
	return others + kind*l.users + user - 1, err == nil
}

// BenchmarkMillion walks a table of a million items, as each command does: those of 150,000 users and of 83,000
// categories. It reports the time of the processors, and the peak of the process's memory so far. Both include the
// server, which is in the same process.
func BenchmarkMillion(b *testing.B) {
	walked := large{users: 150_000, categories: 83_332, read: func() {}}
	cfg := aws.Config{Region: "eu-west-1", Credentials: aws.AnonymousCredentials{}, HTTPClient: &http.Client{
		Transport: server{walked},
	}}
	in := table.Open(cfg, "large")
	kinds, ctx := registry.Kinds(), b.Context()
	for _, walk := range []struct {
		name string
		do   func() error
	}{
		{"check", func() error {
			report, err := check.Run(ctx, in, kinds, check.Options{Segments: 4})
			if err == nil && report.Items != others+5*walked.users+3*walked.categories || report.Suspects > 0 {
				err = fmt.Errorf("%d items, %d suspects", report.Items, report.Suspects)
			}
			return err
		}},
		{"reopen", func() error {
			from, err := restore.FromTable(ctx, in.WithName("later"))
			if err != nil {
				return err
			}
			plan, err := restore.NewPlan(ctx, in, from, kinds, restore.Options{Imported: true})
			if r := plan.Report(); len(r.Said)+len(r.Left) > 0 {
				err = fmt.Errorf("%d would end, left are %d", len(r.Said), len(r.Left))
			}
			return err
		}},
		{"person", func() error {
			seventh := personaldata.Person{Address: "user-7@example.org", User: 7}
			found, err := personaldata.Show(ctx, in, kinds, seventh, func(int64) {})
			if err == nil && len(found) != 5 {
				err = fmt.Errorf("items of %d kinds", len(found))
			}
			return err
		}},
	} {
		b.Run(walk.name, func(b *testing.B) {
			before := processorTime(b)
			for b.Loop() {
				if err := walk.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((processorTime(b)-before).Seconds()/float64(b.N), "cpu-s")
			status, err := os.ReadFile("/proc/self/status")
			if err != nil {
				b.Skip("the peak of memory is in Linux's /proc")
			}
			_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
			kb, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(kb)/1024, "MiB-peak")
		})
	}
}

// processorTime returns the time of the processors that the process has used, which other processes do not change.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
