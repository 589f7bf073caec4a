package eventbridge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/local/document"
	"frontdesk/internal/local/eventbridge"
	"frontdesk/internal/local/template"

	"gopkg.in/yaml.v3"
)

// newBus returns a bus with one rule, which leads to F.
func newBus(t *testing.T, pattern string) (*eventbridge.Bus, error) {
	t.Helper()
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(pattern), &file); err != nil {
		t.Fatal(err)
	}
	rule := template.Rule{Function: "F", Pattern: document.Fragment{Path: "p", Root: file.Content[0]}}
	return eventbridge.New(eventbridge.Config{Rules: []template.Rule{rule}, Watch: func(eventbridge.Event) {}})
}

// TestPatterns shows one rule of the documentation of event patterns per case.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
func TestPatterns(t *testing.T) {
	event := eventbridge.Event{Source: "aws.ses", Detail: json.RawMessage(`{"n":1,"yes":true,"none":null,"text":"abc",
		"list":["a","b"],"empty":[],"objects":[{"a":"1"},{"a":"2","b":"3"}]}`)}
	for name, c := range map[string]struct {
		pattern string
		want    bool
	}{
		"an exact value":                       {`{source: [aws.ses]}`, true},
		"another value":                        {`{source: [aws.s3]}`, false},
		"a part of a value":                    {`{source: [aws]}`, false},
		"one of several values":                {`{source: [aws.s3, aws.ses]}`, true},
		"all fields":                           {`{source: [aws.ses], detail: {text: [abc]}}`, true},
		"not all fields":                       {`{source: [aws.ses], detail: {text: [x]}}`, false},
		"a number":                             {`{detail: {n: [1]}}`, true},
		"a number as text":                     {`{detail: {n: ["1"]}}`, false},
		"true":                                 {`{detail: {yes: [true]}}`, true},
		"null":                                 {`{detail: {none: [null]}}`, true},
		"null where there is nothing":          {`{detail: {other: [null]}}`, false},
		"an element of a list":                 {`{detail: {list: [b]}}`, true},
		"no element of a list":                 {`{detail: {list: [c]}}`, false},
		"an object in a list":                  {`{detail: {objects: {a: ["2"], b: ["3"]}}}`, true},
		"two objects in a list":                {`{detail: {objects: {a: ["1"], b: ["3"]}}}`, false},
		"an object that is a value":            {`{detail: {text: {a: [b]}}}`, false},
		"exists":                               {`{detail: {list: [{exists: true}]}}`, true},
		"exists, and is null":                  {`{detail: {none: [{exists: true}]}}`, true},
		"does not exist":                       {`{detail: {other: [{exists: true}]}}`, false},
		"is not to exist":                      {`{detail: {other: [{exists: false}]}}`, true},
		"is not to exist, and does":            {`{detail: {text: [{exists: false}]}}`, false},
		"a prefix":                             {`{detail: {text: [{prefix: ab}]}}`, true},
		"another prefix":                       {`{detail: {text: [{prefix: b}]}}`, false},
		"a suffix":                             {`{detail: {text: [{suffix: bc}]}}`, true},
		"a prefix of a number":                 {`{detail: {n: [{prefix: "1"}]}}`, false},
		"below what is absent":                 {`{detail: {other: {a: [{exists: true}]}}}`, false},
		"an empty list, which has no elements": {`{detail: {empty: [a]}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			bus, err := newBus(t, c.pattern)
			if err != nil {
				t.Fatal(err)
			}
			invoked := false
			bus.Invoke(func(function, _ string, payload []byte) {
				invoked = function == "F" && strings.Contains(string(payload), `"detail-type":`)
			})
			if bus.Put(event); invoked != c.want {
				t.Errorf("it matches: %t", invoked)
			}
		})
	}
}

// TestPatternsThatAreNotKnownNameTheirLine shows that an unknown operator is an error and not a rule that never
// matches. A rule without matches is hard to find: no function is called, and nothing fails.
func TestPatternsThatAreNotKnownNameTheirLine(t *testing.T) {
	for pattern, want := range map[string]string{
		"{source: aws.ses}":                          "p:1: an event pattern has lists of values, and objects of them",
		"source: [a]\ndetail: {a: [{numeric: [1]}]}": "p:2: the operator numeric is not known here",
		"{$or: [{a: [b]}]}":                          "p:1: $or is not known in an event pattern",
		"{a: [[b]]}":                                 "p:1: one value, or one operator, is wanted here",
		"{a: [{prefix: a, suffix: b}]}":              "p:1: one value, or one operator, is wanted here",
	} {
		if _, err := newBus(t, pattern); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}

// A test holds two events back, and then delivers them in the wrong order, one of them twice.
func ExampleBus_Replace() {
	bus, _ := eventbridge.New(eventbridge.Config{Watch: func(e eventbridge.Event) { fmt.Println(e.ID) }})
	var held []eventbridge.Event
	bus.Replace(func(e eventbridge.Event) []eventbridge.Event {
		held = append(held, e)
		return nil
	})
	detail := json.RawMessage("{}")
	bus.Put(eventbridge.Event{ID: "1", Detail: detail}, eventbridge.Event{ID: "2", Detail: detail})
	bus.Replace(nil)
	slices.Reverse(held)
	bus.Put(append(held, held[0])...)
	// Output:
	// 2
	// 1
	// 2
}
