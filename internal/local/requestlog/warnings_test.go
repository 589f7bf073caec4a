package requestlog

import (
	"slices"
	"testing"

	"frontdesk/internal/local/gateway"
)

// TestWarningsOfAnAnswer shows which answers have warnings, under both names that the APIs use. A warning may quote
// what was sent, so secrets in it are masked.
func TestWarningsOfAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		answer string
		want   []string
	}{
		"some, masked": {`{"warnings":["no subject","a key: fdm_7_0123456789abcdef0123456789abcdef"]}`,
			[]string{"no subject", "a key: fdm_•••"}},
		"of a mail":   {`{"status":"success","warning":["no subject"]}`, []string{"no subject"}},
		"none":        {answer: `{"status":"ok"}`},
		"no list":     {answer: `{"warnings":"x"}`},
		"other types": {answer: `{"warnings":[1]}`},
		"no JSON":     {answer: "warnings"},
		"no object":   {answer: `["warnings"]`},
	} {
		t.Run(name, func(t *testing.T) {
			log := New(Config{Changed: func() {}})
			log.Add(gateway.Request{ID: "r1", Answer: gateway.Text{Begin: test.answer, Size: len(test.answer)}})
			got := log.Warnings()
			if !slices.Equal(got["r1"], test.want) || len(got) != min(1, len(test.want)) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
