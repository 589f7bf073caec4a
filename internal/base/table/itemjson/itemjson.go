// Package itemjson reads and writes DynamoDB's JSON for items. [Cut] decodes the items in DynamoDB's answers. The SDK
// would decode them into maps of any first and then into attribute values, which takes a third of the CPU time of a
// long list. [Document] is an item in a file.
package itemjson

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is an item in the form that the SDK uses.
type Item = map[string]types.AttributeValue

// Cut decodes the items in the answer to a Query or to a BatchGetItem of one table. It returns them, and the answer
// with an empty list in their place, which it does not check further. If the answer has no items, or contains something
// rare (white space, sets of numbers) or anything that DynamoDB does not write, items is nil and rest is the whole
// answer. Then the SDK decodes it.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
func Cut(answer string) (items []Item, rest string) {
	// The answer is read once, from left to right. Only the place of the list is noted, and cut out at the end.
	p := parser{in: answer}
	from, to := 0, 0
	list := func() {
		p.failed = p.failed || to > 0 // a second list
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
	if p.failed {
		return nil, answer
	}
	return items, answer[:from] + answer[to:]
}

// parser reads JSON without white space. At anything unexpected it sets failed, and every later step does nothing.
type parser struct {
	in     string
	at     int
	failed bool
}

// peek returns the next byte, or 0 at the end and after a failure.
func (p *parser) peek() byte {
	if p.failed || p.at == len(p.in) {
		return 0
	}
	return p.in[p.at]
}

// expect consumes exactly this text, or fails.
func (p *parser) expect(text string) {
	p.failed = p.failed || !strings.HasPrefix(p.in[p.at:], text)
	if !p.failed {
		p.at += len(text)
	}
}

// members calls read for each member of an object or list.
func (p *parser) members(open, end byte, read func()) {
	p.expect(string(open))
	for p.peek() != end && !p.failed {
		read()
		if p.peek() != end {
			p.expect(",")
			p.failed = p.failed || p.peek() == end // a comma must be followed by a member
		}
	}
	p.expect(string(end))
}

// name reads the name of a member, with its colon.
func (p *parser) name() string {
	name := p.text()
	p.expect(":")
	return name
}

// text reads a string. A string without escapes shares the memory of the answer.
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
	if !p.failed && (escaped || !ascii) { // bytes beyond ASCII need not be UTF-8
		p.failed = json.Unmarshal([]byte(p.in[begin-1:p.at]), &s) != nil
	}
	return s
}

// bool reads true or false. Anything that does not begin with a t must be false, or the parser fails.
func (p *parser) bool() bool {
	value := p.peek() == 't'
	if value {
		p.expect("true")
	} else {
		p.expect("false")
	}
	return value
}

// item reads the attributes of an item or a map. Of a repeated name the last one counts, as in the SDK.
func (p *parser) item() Item {
	item := Item{}
	p.members('{', '}', func() {
		name := p.name()
		item[name] = p.value()
	})
	return item
}

// value reads an attribute value: an object whose only name is the type.
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
	// The SDK decodes the rare types NS and BS.
	default:
		p.failed = true
	}
	p.expect("}")
	return v
}

// skip skips a value of any kind, up to the comma or bracket that ends it. It does not check what it skips.
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
