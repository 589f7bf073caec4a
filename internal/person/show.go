package person

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Stored is an item as it is shown: its attributes in plain JSON, and its key as PK and SK. It leaves out binary
// attributes, which are digests and secrets, and the hash of a password.
type Stored map[string]any

// Show reads all that the table has of a person, by kind of item. Items of a kind are sorted by their keys.
func Show(ctx context.Context, t table.Table, p Person, progress func(done int64)) (map[string][]Stored, error) {
	stored := map[string][]Stored{}
	err := scan(ctx, t, progress, func(item dynamo.Item) error {
		k := table.KeyOf(item)
		if p.of(k) || p.inItem(item) {
			stored[k.Kind()] = append(stored[k.Kind()], shown(k, item))
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

func shown(k table.Key, item dynamo.Item) Stored {
	s := Stored{}
	for name, value := range item {
		if plain := plainOf(value); plain != nil && name != "password" {
			s[name] = plain
		}
	}
	if strings.HasPrefix(k.SK, table.AgentTokens) || strings.HasPrefix(k.SK, table.LoginTokens) {
		s["SK"], _, _ = strings.Cut(k.SK, "#") // drops the digest of the token's secret
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
