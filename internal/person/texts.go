package person

import (
	"slices"
	"strings"

	"frontdesk/internal/address"
	"frontdesk/internal/address/mention"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Addresses are the normal forms of addresses that are looked for.
type Addresses []string

// In reports whether one of the addresses stands in a text, in any spelling.
func (a Addresses) In(text string) bool {
	lower, may := strings.ToLower(text), false
	for _, wanted := range a { // the part before the @ has one spelling; the domain has two
		may = may || strings.Contains(lower, wanted[:strings.LastIndexByte(wanted, '@')])
	}
	if !may {
		return false
	}
	found := false
	mention.Replace(text, func(text string, forms []string) string {
		for _, form := range forms {
			normal, err := address.Normal(form)
			found = found || err == nil && slices.Contains(a, normal)
		}
		return text
	})
	return found
}

// inItem reports whether one of the addresses stands in a text of an item, its key included.
func (a Addresses) inItem(item dynamo.Item) bool {
	for name, value := range item {
		text, isText := value.(*types.AttributeValueMemberS)
		if isText && (name == "PK" || name == "SK") {
			_, rest, _ := strings.Cut(text.Value, "#")
			if a.In(rest) || a.In(strings.ReplaceAll(rest, "#", " ")) {
				return true
			}
			continue
		}
		if a.In(name) || a.inValue(value) {
			return true
		}
	}
	return false
}

func (a Addresses) inValue(value types.AttributeValue) bool {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return a.In(v.Value)
	case *types.AttributeValueMemberSS:
		return slices.ContainsFunc(v.Value, a.In)
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(v.Value, a.inValue)
	case *types.AttributeValueMemberM:
		for name, value := range v.Value {
			if a.In(name) || a.inValue(value) {
				return true
			}
		}
	}
	return false
}
