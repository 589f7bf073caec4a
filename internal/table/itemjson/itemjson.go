// Package itemjson is the JSON that DynamoDB has for items. [Cut] decodes the items in DynamoDB's answers: the SDK
// decodes them into maps of any first and then into attribute values, which is a third of the CPU time of a long list.
// [Document] is an item in a file.
package itemjson

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is an item as the SDK has it.
type Item = map[string]types.AttributeValue

// Cut takes the items out of the answer to a Query or a BatchGetItem of one table. The rest is the answer with an empty
// list in their place, and is not checked. Where the answer has no items, or anything in them that DynamoDB does not
// write or that is rare (white space, sets of numbers), items is nil and the rest is the whole answer.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
func Cut(answer string) (items []Item, rest string) {
	p := parser{in: answer}
	from, to := 0, 0
	list := func() {
		p.failed = p.failed || to > 0 // a second one
		from = p.at + 1
		p.members('[', ']', func() { items = append(items, p.item()) })
		to = p.at - 1
	}
	p.members('{', '}', func() {
		switch p.name() {
		case "Items":
			list()
		case "Responses": // by table
			p.members('{', '}', func() { p.name(); list() })
		default:
			p.skip()
		}
	})
	if p.failed || from >= to {
		return nil, answer
	}
	return items, answer[:from] + answer[to:]
}

// parser reads JSON without white space. When it meets what it does not know, it has failed, and reads no further.
type parser struct {
	in     string
	at     int
	failed bool
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.failed || p.at == len(p.in) {
		return 0
	}
	return p.in[p.at]
}

func (p *parser) expect(text string) {
	p.failed = p.failed || !strings.HasPrefix(p.in[p.at:], text)
	if !p.failed {
		p.at += len(text)
	}
}

// members has each member of an object or a list read.
func (p *parser) members(open, end byte, read func()) {
	p.expect(string(open))
	for p.peek() != end && !p.failed {
		read()
		if p.peek() != end {
			p.expect(",")
			p.failed = p.failed || p.peek() == end // a comma leads to another member
		}
	}
	p.expect(string(end))
}

// name reads the name of a member.
func (p *parser) name() string {
	name := p.text()
	p.expect(":")
	return name
}

// text reads a string: as a part of the answer, unless it has escapes.
func (p *parser) text() (s string) {
	p.expect(`"`)
	begin, escaped, ascii := p.at, false, true
	for ; p.peek() >= ' ' && p.peek() != '"'; p.at++ {
		ascii = ascii && p.peek() < 0x80
		if p.peek() == '\\' && p.at+1 < len(p.in) {
			escaped = true
			p.at++
		}
	}
	s = p.in[begin:p.at]
	p.expect(`"`)
	if !p.failed && (escaped || !ascii) { // not all that is not ASCII is UTF-8
		p.failed = json.Unmarshal([]byte(p.in[begin-1:p.at]), &s) != nil
	}
	return s
}

func (p *parser) bool() bool {
	value := p.peek() == 't'
	if value {
		p.expect("true")
	} else {
		p.expect("false")
	}
	return value
}

func (p *parser) item() Item {
	item := Item{}
	p.members('{', '}', func() {
		name := p.name()
		item[name] = p.value()
	})
	return item
}

// value reads an attribute value, which is an object of its type's name and itself.
func (p *parser) value() (v types.AttributeValue) {
	p.expect("{")
	switch p.name() {
	case "S":
		v = &types.AttributeValueMemberS{Value: p.text()}
	case "N":
		v = &types.AttributeValueMemberN{Value: p.text()}
	case "B":
		value, err := base64.StdEncoding.DecodeString(p.text())
		p.failed = p.failed || err != nil
		v = &types.AttributeValueMemberB{Value: value}
	case "BOOL":
		v = &types.AttributeValueMemberBOOL{Value: p.bool()}
	case "NULL":
		v = &types.AttributeValueMemberNULL{Value: p.bool()}
	case "M":
		v = &types.AttributeValueMemberM{Value: p.item()}
	case "L":
		list := []types.AttributeValue{}
		p.members('[', ']', func() { list = append(list, p.value()) })
		v = &types.AttributeValueMemberL{Value: list}
	case "SS":
		list := []string{}
		p.members('[', ']', func() { list = append(list, p.text()) })
		v = &types.AttributeValueMemberSS{Value: list}
	default:
		p.failed = true
	}
	p.expect("}")
	return v
}

// skip skips a value.
func (p *parser) skip() {
	for depth := 0; ; p.at++ {
		switch p.peek() {
		case '"':
			p.text()
			p.at--
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth < 0 {
				return
			}
		case ',':
			if depth == 0 {
				return
			}
		case 0:
			p.failed = true
			return
		}
	}
}
