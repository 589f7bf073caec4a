package table_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestDamagedItems shows that every way of reading reports the kind of item and the damaged attributes, and nothing
// else of the item: errors reach the log, and this key is an e-mail address.
func TestDamagedItems(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		tab := stack.Table
		type record struct {
			table.Key
			N  int       `dynamo:"n"`
			At time.Time `dynamo:"at"`
			To []string  `dynamo:"to"`
		}
		const address = "ada@example.org"
		key := table.Email(address)
		reads := map[string]func(context.Context) error{
			"by its key": func(ctx context.Context) error {
				items, err := tab.Read(ctx, key)
				if err == nil {
					_, err = items.Get(key, new(record))
				}
				return err
			},
			"by a query": func(ctx context.Context) error {
				_, err := table.Query[record](ctx, tab, key.PK, key.SK, 0)
				return err
			},
			"by a query from its end": func(ctx context.Context) error {
				_, _, err := table.QueryNewest[record](ctx, tab, key.PK, key.SK, key.SK, 0)
				return err
			},
			"where a condition fails": func(ctx context.Context) error {
				never := table.Change{
					Update: "SET note = :v", If: "attribute_not_exists(PK)",
					Values: map[string]any{":v": "x"},
				}
				_, err := tab.Change(ctx, key, never, new(record))
				return err
			},
			"where it is revoked": func(ctx context.Context) error {
				_, err := tab.Revoke(ctx, key, time.Now(), new(record))
				return err
			},
		}
		for name, c := range map[string]struct {
			attributes fixture.Object
			want       string // "" for no error
		}{
			"none":                         {fixture.Object{"n": 1, "to": []string{address}}, ""},
			"an attribute is missing":      {nil, ""},
			"an attribute of another type": {fixture.Object{"n": address}, "n"},
			"a number that is no integer":  {fixture.Object{"n": 1.5}, "n"},
			"a text that is no time":       {fixture.Object{"at": address}, "at"},
			"a map for a list":             {fixture.Object{"to": fixture.Object{address: address}}, "to"},
			// "name" is not damaged: the record has no such attribute.
			"several": {fixture.Object{"to": address, "n": address, "name": address}, "n, to"},
		} {
			item := fixture.With(fixture.Object{"PK": key.PK, "SK": key.SK}, c.attributes)
			if err := tab.Put(item).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for how, read := range reads {
				err := read(t.Context())
				if c.want == "" {
					if err != nil {
						t.Errorf("%s, %s: %v", name, how, err)
					}
					continue
				}
				want := "e-mail owner cannot be read: damaged attributes: " + c.want
				if err == nil || err.Error() != want {
					t.Errorf("%s, %s: %v, want %q", name, how, err, want)
				}
			}
		}
	})
}
