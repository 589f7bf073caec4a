package api_test

import (
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"
)

// TestWhatAValueAsksFor: a value turns on what its field names, turns it off, or says nothing.
func TestWhatAValueAsksFor(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"true": "on", "1": "on", "1e999": "on", "-0.5": "on", `"true"`: "on", `"yes"`: "on", `"x"`: "on",
		`[false,"x"]`: "on", `{"sandbox_mode":{"enable":true}}`: "on", `[[{"a":[1]}]]`: "on",
		"false": "off", "0": "off", "0.0": "off", `"0"`: "off", `"No"`: "off", `"FALSE"`: "off", `"off"`: "off",
		`"none"`: "off",
		"[0]":    "off", `{"sandbox_mode":{"enable":false}}`: "off", `{"a":[null,"",{}]}`: "off", "[[]]": "off",
		"null": "nothing", `""`: "nothing", "[]": "nothing", "{ }": "nothing",
	} {
		got := "nothing"
		switch on, off := api.TurnsOn([]byte(value)), api.TurnsOff([]byte(value)); {
		case on && off:
			got = "both"
		case on:
			got = "on"
		case off:
			got = "off"
		}
		expect.Equal(t, got, want, value)
	}
}
