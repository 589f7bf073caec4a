package unsubscribe_test

import (
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/mail/unsubscribe"
)

// TestEachLanguageHasEveryText: no text is empty, or another language's.
func TestEachLanguageHasEveryText(t *testing.T) {
	t.Parallel()
	of := map[string]string{} // where a text stands
	var collect func(where string, v reflect.Value)
	collect = func(where string, v reflect.Value) {
		for i := range v.NumField() {
			name := where + "." + v.Type().Field(i).Name
			if v.Field(i).Kind() == reflect.Struct {
				collect(name, v.Field(i))
				continue
			}
			text := v.Field(i).String()
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s is empty", name)
			}
			// Two languages may have one word for a list. They have no sentence in common.
			if other, ok := of[text]; ok && strings.Contains(text, " ") {
				t.Errorf("%s is that of %s: %s", name, other, text)
			}
			of[text] = name
		}
	}
	for language, w := range unsubscribe.Wordings() {
		collect(language.String(), reflect.ValueOf(w))
	}
	expect.Equal(t, len(unsubscribe.Wordings()), 7, "languages")
}
