package api

import "strconv"

// ErrCursor is the error of a query parameter cursor that no answer has given.
var ErrCursor = Errorf(Malformed, "cursor must be the next_cursor of an answer")

// ParseLimit reads the query parameter limit, how many a page has: from 1 to most. It is otherwise where there is none.
// The error is of kind [Malformed].
func ParseLimit(params map[string]string, otherwise, most int) (int, error) {
	text := params["limit"]
	if text == "" {
		return otherwise, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > most {
		return 0, Errorf(Malformed, "limit must be an integer from 1 to %d", most)
	}
	return limit, nil
}
