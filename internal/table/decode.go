package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"
)

// Damage is the error of an item that cannot be read.
type Damage struct{ error }

// Decode decodes an item into out, a pointer to a struct. Its error is a [Damage], and names the kind of the item and
// the attributes that are damaged. It has nothing of the key or of a value, which may be an e-mail address: the error
// reaches the log.
func Decode(item dynamo.Item, out any) error {
	if dynamo.UnmarshalItem(item, out) == nil {
		return nil
	}
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

// DecodeAll decodes items of one kind. The error is that of [Decode].
func DecodeAll[T any](items []dynamo.Item) ([]T, error) {
	decoded := make([]T, len(items))
	for i, item := range items {
		if err := Decode(item, &decoded[i]); err != nil {
			return nil, err
		}
	}
	return decoded, nil
}
