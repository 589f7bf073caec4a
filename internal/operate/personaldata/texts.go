package personaldata

import (
	"slices"
	"strings"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/address/freetext"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// NamedIn reports whether a text has the person's address, in any spelling.
func (p Person) NamedIn(text string) bool {
	// A quick test first. The local part has one spelling, and the domain has two; URLs and JSON may escape both.
	local := p.Address[:strings.LastIndexByte(p.Address, '@')]
	maybe := strings.Contains(strings.ToLower(text), local) || strings.ContainsAny(text, `%\`)
	return maybe && p.redact(text) != text
}

// forgotten stands in the place of an address that was taken out of a text.
const forgotten = "[forgotten]"

// redact puts a mark in the place of the person's address in a text.
func (p Person) redact(text string) string {
	return freetext.ReplaceAddresses(text, func(found string, forms []string) string {
		for _, form := range slices.Concat(forms, freetext.AddressesIn(found)) {
			if normal, err := address.Normal(form); err == nil && normal == p.Address {
				return forgotten
			}
		}
		return found
	})
}

// namedInItem reports whether any text of an item has the address, its key included.
func (p Person) namedInItem(item dynamo.Item) bool {
	for name, value := range item {
		text, isText := value.(*types.AttributeValueMemberS)
		if isText && (name == "PK" || name == "SK") {
			// Keys have parts that # separates. The first part is the kind.
			_, rest, _ := strings.Cut(text.Value, "#")
			if p.NamedIn(rest) || p.NamedIn(strings.ReplaceAll(rest, "#", " ")) {
				return true
			}
			continue
		}
		if p.NamedIn(name) || p.namedInValue(value) {
			return true
		}
	}
	return false
}

func (p Person) namedInValue(value types.AttributeValue) bool {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return p.NamedIn(v.Value)
	case *types.AttributeValueMemberSS:
		return slices.ContainsFunc(v.Value, p.NamedIn)
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(v.Value, p.namedInValue)
	case *types.AttributeValueMemberM:
		for name, value := range v.Value {
			if p.NamedIn(name) || p.namedInValue(value) {
				return true
			}
		}
	}
	return false
}
