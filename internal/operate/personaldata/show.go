package personaldata

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/base/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Stored is an item as it is shown: its attributes in plain JSON, and its key as PK and SK. It leaves out binary
// attributes, which are digests and secrets, and what its kind says is a secret.
type Stored map[string]any

// Show reads all that the table has of a person, by kind of item. Items of a kind are sorted by their keys.
func Show(
	ctx context.Context, t table.Table, kinds table.Registry, p Person, progress func(done int64),
) (map[string][]Stored, error) {
	stored := map[string][]Stored{}
	var mu sync.Mutex
	err := scan(ctx, t, kinds, progress, func(s table.Stored) error {
		if p.User != 0 && s.BelongsTo() == p.User || p.namedInItem(s.Raw) {
			mu.Lock()
			defer mu.Unlock()
			stored[s.Key.Kind()] = append(stored[s.Key.Kind()], view(s))
		}
		return nil
	})
	// The scan has several segments, so items come in no order.
	for _, items := range stored {
		slices.SortFunc(items, func(a, b Stored) int {
			return cmp.Or(strings.Compare(a.part("PK"), b.part("PK")), strings.Compare(a.part("SK"), b.part("SK")))
		})
	}
	return stored, err
}

// part returns a part of the key.
func (s Stored) part(name string) string {
	text, _ := s[name].(string)
	return text
}

func view(stored table.Stored) Stored {
	s := Stored{}
	for name, value := range stored.Raw {
		if plain := plainOf(value); plain != nil && !slices.Contains(stored.Kind.Secrets, name) {
			s[name] = plain
		}
	}
	if stored.Kind.SecretKey {
		s["SK"], _, _ = strings.Cut(stored.Key.SK, "#") // drops the digest of the token's secret
	}
	return s
}

// plainOf returns a value in plain JSON, or nil for bytes.
func plainOf(value types.AttributeValue) any {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return json.Number(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberSS:
		return slices.Sorted(slices.Values(v.Value))
	case *types.AttributeValueMemberNS:
		return v.Value
	case *types.AttributeValueMemberL:
		all := []any{}
		for _, value := range v.Value {
			all = append(all, plainOf(value))
		}
		return all
	case *types.AttributeValueMemberM:
		all := map[string]any{}
		for name, value := range v.Value {
			all[name] = plainOf(value)
		}
		return all
	}
	return nil
}
