package api

import (
	"encoding/json"
	"strings"
)

// FoldName reduces the name of a field that does not exist to what all spellings share: reply_to, replyTo and Reply-To
// become replyto.
func FoldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// TurnsOn reports whether the value of a field that does not exist asks for what its name says. False, 0, null and the
// texts "", "0", "false", "no", "none" and "off" ask for nothing, and neither does a list or an object of nothing else.
func TurnsOn(value json.RawMessage) bool {
	var v any
	return json.Unmarshal(value, &v) != nil || turnsOn(v) // a number may be too large to read
}

// TurnsOff reports whether the value of such a field says that what its name says is not to be. An empty value says
// nothing.
func TurnsOff(value json.RawMessage) bool { return !empty(value) && !TurnsOn(value) }

func turnsOn(value any) bool {
	switch v := value.(type) {
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		switch strings.ToLower(v) {
		case "", "0", "false", "no", "none", "off":
			return false
		}
		return true
	case []any:
		for _, element := range v {
			if turnsOn(element) {
				return true
			}
		}
	case map[string]any:
		for _, member := range v {
			if turnsOn(member) {
				return true
			}
		}
	}
	return false
}
