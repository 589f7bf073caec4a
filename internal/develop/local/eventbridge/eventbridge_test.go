package eventbridge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/document"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/develop/local/samtemplate"

	"gopkg.in/yaml.v3"
)

// newBus returns a bus with one rule, which leads to F.
func newBus(t *testing.T, pattern string) (*eventbridge.Bus, error) {
	t.Helper()
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(pattern), &file); err != nil {
		t.Fatal(err)
	}
	rule := samtemplate.Rule{Function: "F", Pattern: document.Fragment{Path: "p", Root: file.Content[0]}}
	return eventbridge.New(eventbridge.Config{Rules: []samtemplate.Rule{rule}, Watch: func(eventbridge.Event) {}})
}

// TestPatterns shows one rule of the documentation of event patterns per case.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
func TestPatterns(t *testing.T) {
	event := eventbridge.Event{Source: "aws.ses", Detail: json.RawMessage(`{"n":1,"none":null,"text":"abc",
		"list":["a","b"],"empty":[],"objects":[{"a":"1"},{"a":"2","b":"3"}]}`)}
	for name, c := range map[string]struct {
		pattern string
		want    bool
	}{
		"an exact text":                        {`{source: [aws.ses]}`, true},
		"another text":                         {`{source: [aws.s3]}`, false},
		"a part of a text":                     {`{source: [aws]}`, false},
		"one of several texts":                 {`{source: [aws.s3, aws.ses]}`, true},
		"all fields":                           {`{source: [aws.ses], detail: {text: [abc]}}`, true},
		"not all fields":                       {`{source: [aws.ses], detail: {text: [x]}}`, false},
		"a number":                             {`{detail: {n: ["1"]}}`, false},
		"null":                                 {`{detail: {none: [a]}}`, false},
		"what is absent":                       {`{detail: {other: [a]}}`, false},
		"an element of a list":                 {`{detail: {list: [b]}}`, true},
		"no element of a list":                 {`{detail: {list: [c]}}`, false},
		"an object in a list":                  {`{detail: {objects: {a: ["2"], b: ["3"]}}}`, true},
		"two objects in a list":                {`{detail: {objects: {a: ["1"], b: ["3"]}}}`, false},
		"an object that is a text":             {`{detail: {text: {a: [b]}}}`, false},
		"below what is absent":                 {`{detail: {other: {a: [b]}}}`, false},
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

// TestPatternsThatAreNotKnownNameTheirLine shows that anything but texts is an error and not a rule that never
// matches. A rule without matches is hard to find: no function is called, and nothing fails.
func TestPatternsThatAreNotKnownNameTheirLine(t *testing.T) {
	const text = "a text is wanted here: operators and other values are not known"
	for pattern, want := range map[string]string{
		"{source: aws.ses}":                          "p:1: an event pattern has lists of texts, and objects of them",
		"source: [a]\ndetail: {a: [{exists: true}]}": "p:2: " + text,
		"source: [a]\ndetail: {a: [b,\n  1]}":        "p:3: " + text,
		"{a: [true]}":                                "p:1: " + text,
		"{a: [null]}":                                "p:1: " + text,
		"{a: [[b]]}":                                 "p:1: " + text,
		"{$or: [{a: [b]}]}":                          "p:1: $or is not known in an event pattern",
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
