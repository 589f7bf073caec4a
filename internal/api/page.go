package api

import (
	"encoding/base64"
	"strconv"
)

// Page is a page of a list, as it is answered.
type Page[T any] struct {
	Payload []T      `json:"payload"`
	Meta    PageMeta `json:"meta"`
}

// PageMeta is what a page says of itself.
type PageMeta struct {
	NextCursor Cursor `json:"next_cursor,omitempty"` // absent on the last page
}

// Cursor is the place where a page ends, and the next one begins: no index, so that what comes and goes between the two
// shifts nothing. In JSON it is base64 (RFC 4648 section 5), which fits into a URL.
type Cursor string

// MarshalText gives the cursor in base64.
func (c Cursor) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, []byte(c)), nil
}

// CutPage cuts a page off a list of which one more was read than the page may have, if there is one: that one tells
// that there is another page. The cursor is the place of the last element of the page, "" on the last page.
func CutPage[T any](list []T, limit int, place func(T) string) ([]T, Cursor) {
	if len(list) <= limit {
		return list, ""
	}
	return list[:limit], Cursor(place(list[limit-1]))
}

// ErrCursor is the error of a query parameter cursor that no answer has given.
var ErrCursor = Errorf(Malformed, "cursor must be the next_cursor of an answer")

// ParseCursor reads the query parameter cursor. Parse reads the place from a [Cursor]; ok is false where that is none.
// Without the parameter it is the zero place. The error is [ErrCursor].
func ParseCursor[Place any](
	params map[string]string, parse func(text string) (place Place, ok bool),
) (place Place, err error) {
	cursor := params["cursor"]
	if cursor == "" {
		return place, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return place, ErrCursor
	}
	read, ok := parse(string(text))
	if !ok {
		return place, ErrCursor
	}
	return read, nil
}

// ParseLimit reads the query parameter limit, how many a page has: from 1 to most. It is otherwise where there is none.
// Pages have no numbers: any page but 1 is refused, as a client that counts pages until one is empty would never end.
// The error is of kind [Malformed].
func ParseLimit(params map[string]string, otherwise, most int) (int, error) {
	if page := params["page"]; page != "" && page != "1" {
		return 0, Errorf(Malformed, "page must be 1: pages have no numbers; "+
			"limit says how many a page has, and cursor, the next_cursor of the page before, where it begins")
	}
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
