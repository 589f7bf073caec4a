package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"
)

// Damage is the error for an item that cannot be decoded.
type Damage struct{ error }

// Decode decodes an item into out, a pointer to a struct. Its error is a [Damage] that names the kind of item and the
// damaged attributes. It contains neither the key nor a value, because those may be e-mail addresses and the error
// reaches the log.
func Decode(item dynamo.Item, out any) error {
	if dynamo.UnmarshalItem(item, out) == nil {
		return nil
	}
	// Decoding each attribute alone finds all of the damaged ones; the decoder itself stops at the first.
	var damaged []string
	for name, value := range item {
		alone := reflect.New(reflect.TypeOf(out).Elem()).Interface()
		if dynamo.UnmarshalItem(dynamo.Item{name: value}, alone) != nil {
			damaged = append(damaged, name)
		}
	}
	slices.Sort(damaged)
	return Damage{fmt.Errorf("%s cannot be read: damaged attributes: %s",
		KeyOf(item).Kind(), strings.Join(damaged, ", "))}
}

// DecodeAll decodes items of one kind. Its error is that of [Decode], for the first damaged item.
func DecodeAll[T any](items []dynamo.Item) ([]T, error) {
	decoded := make([]T, len(items))
	for i, item := range items {
		if err := Decode(item, &decoded[i]); err != nil {
			return nil, err
		}
	}
	return decoded, nil
}
