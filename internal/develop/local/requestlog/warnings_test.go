package requestlog

import (
	"slices"
	"testing"

	"frontdesk/internal/develop/local/gateway"
)

// TestWarningsOfAnAnswer shows which answers have warnings, under both names that the APIs use.
func TestWarningsOfAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		answer string
		want   []string
	}{
		"some":        {`{"warnings":["no subject","no text"]}`, []string{"no subject", "no text"}},
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
