package itemjson

// This file is for operators: no endpoint calls it.

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Document is an item that encoding/json writes and reads in DynamoDB's own JSON, in which each value names its type.
// An item that is written and read again is unchanged.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
type Document Item

// MarshalJSON implements [json.Marshaler]. A nil Document becomes null.
func (d Document) MarshalJSON() ([]byte, error) {
	if d == nil {
		return []byte("null"), nil
	}
	values := make(map[string]value, len(d))
	for name, v := range d {
		values[name] = value{v}
	}
	return json.Marshal(values)
}

// UnmarshalJSON implements [json.Unmarshaler]. It refuses a value with no type, with several types, or with an
// unknown one.
func (d *Document) UnmarshalJSON(text []byte) error {
	var values map[string]value
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	*d = nil
	if values != nil {
		*d = make(Document, len(values))
	}
	for name, v := range values {
		(*d)[name] = v.AttributeValue
	}
	return nil
}

// value is the JSON of an attribute value: an object whose only name is the type, for instance {"S":"text"}.
type value struct{ types.AttributeValue }

// MarshalJSON writes sets and lists in their order. Sorting is left to whoever compares.
func (v value) MarshalJSON() ([]byte, error) {
	switch v := v.AttributeValue.(type) {
	case *types.AttributeValueMemberS:
		return json.Marshal(map[string]string{"S": v.Value})
	case *types.AttributeValueMemberN:
		return json.Marshal(map[string]string{"N": v.Value})
	case *types.AttributeValueMemberB:
		return json.Marshal(map[string][]byte{"B": v.Value})
	case *types.AttributeValueMemberBOOL:
		return json.Marshal(map[string]bool{"BOOL": v.Value})
	case *types.AttributeValueMemberNULL:
		return json.Marshal(map[string]bool{"NULL": v.Value})
	case *types.AttributeValueMemberM:
		return json.Marshal(map[string]Document{"M": v.Value})
	case *types.AttributeValueMemberL:
		list := make([]value, len(v.Value))
		for i, member := range v.Value {
			list[i] = value{member}
		}
		return json.Marshal(map[string][]value{"L": list})
	case *types.AttributeValueMemberSS:
		return json.Marshal(map[string][]string{"SS": v.Value})
	case *types.AttributeValueMemberNS:
		return json.Marshal(map[string][]string{"NS": v.Value})
	case *types.AttributeValueMemberBS:
		return json.Marshal(map[string][][]byte{"BS": v.Value})
	}
	return nil, fmt.Errorf("there is no JSON for a %T", v.AttributeValue)
}

// UnmarshalJSON refuses {"S":null} too: encoding/json would read it as an empty string.
func (v *value) UnmarshalJSON(text []byte) error {
	var typed map[string]json.RawMessage
	if err := json.Unmarshal(text, &typed); err != nil {
		return err
	}
	for name, raw := range typed {
		if len(typed) == 1 && string(raw) != "null" {
			return v.unmarshal(name, raw)
		}
	}
	return errNotOneType
}

var errNotOneType = errors.New("a value must have one type of DynamoDB's")

// unmarshal reads the value of a type, named as in the API. A type that DynamoDB may add later is an error, so that no
// attribute is lost silently.
func (v *value) unmarshal(name string, raw json.RawMessage) (err error) {
	switch name {
	case "S":
		member := new(types.AttributeValueMemberS)
		v.AttributeValue, err = member, json.Unmarshal(raw, &member.Value)
	case "N":
		member := new(types.AttributeValueMemberN)
		v.AttributeValue, err = member, json.Unmarshal(raw, &member.Value)
	case "B":
		member := new(types.AttributeValueMemberB)
		v.AttributeValue, err = member, json.Unmarshal(raw, &member.Value)
	case "BOOL":
		member := new(types.AttributeValueMemberBOOL)
		v.AttributeValue, err = member, json.Unmarshal(raw, &member.Value)
	case "NULL":
		member := new(types.AttributeValueMemberNULL)
		v.AttributeValue, err = member, json.Unmarshal(raw, &member.Value)
	case "M":
		member := new(types.AttributeValueMemberM)
		v.AttributeValue, err = member, json.Unmarshal(raw, (*Document)(&member.Value))
	case "L":
		var list []value
		err = json.Unmarshal(raw, &list)
		member := &types.AttributeValueMemberL{Value: make([]types.AttributeValue, len(list))}
		for i, v := range list {
			member.Value[i] = v.AttributeValue
		}
		v.AttributeValue = member
	case "SS":
		member := new(types.AttributeValueMemberSS)
		v.AttributeValue, err = member, json.Unmarshal(raw, &member.Value)
	case "NS":
		member := new(types.AttributeValueMemberNS)
		v.AttributeValue, err = member, json.Unmarshal(raw, &member.Value)
	case "BS":
		member := new(types.AttributeValueMemberBS)
		v.AttributeValue, err = member, json.Unmarshal(raw, &member.Value)
	default:
		err = errNotOneType
	}
	return err
}
