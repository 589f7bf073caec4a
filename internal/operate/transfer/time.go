package transfer

import (
	"encoding/json"
	"errors"
	"time"

	"frontdesk/internal/base/api"
)

// layouts are how programs write a time as text: RFC 3339, and PostgreSQL with its zones of one or two parts. Each is
// also read with a fraction of a second.
var layouts = []string{
	time.RFC3339, "2006-01-02T15:04:05Z07", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07",
}

// The errors of a time continue the name of the field.
var (
	errTime = errors.New("must be a time with its zone, such as 2026-11-22T09:30:00Z or 2026-11-22 09:30:00.123+00, " +
		"or the milliseconds since 1970")
	errSeconds = errors.New("must be milliseconds since 1970, and these seem to be seconds")
)

// firstMilliseconds is the smallest number that is taken for milliseconds. It is in 1973; as seconds it is in 5138.
const firstMilliseconds = 100_000_000_000

// parseTime reads the JSON of a time, and cuts it to milliseconds, which is what the API shows. Milliseconds may be
// quoted, as those of Firebase are.
func parseTime(value json.RawMessage) (time.Time, error) {
	text := string(value)
	if json.Unmarshal(value, &text) == nil {
		for _, layout := range layouts {
			if at, err := time.Parse(layout, text); err == nil {
				return at.UTC().Truncate(time.Millisecond), nil
			}
		}
	}
	n, err := api.ParseInteger(json.RawMessage(text))
	switch {
	case err != nil || n < 0:
		return time.Time{}, errTime
	case n < firstMilliseconds:
		return time.Time{}, errSeconds
	}
	return time.UnixMilli(n).UTC(), nil
}
