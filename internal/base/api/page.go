package api

import (
	"encoding/base64"
	"strconv"
)

// Page is the JSON of one page of a list.
type Page[T any] struct {
	Payload []T      `json:"payload"`
	Meta    PageMeta `json:"meta"`
}

// PageMeta describes a page.
type PageMeta struct {
	NextCursor Cursor `json:"next_cursor,omitempty"` // absent on the last page
}

// Cursor is the position of a page's last element, after which the next page begins. It is not a number of elements, so
// elements that are added or deleted between two pages shift nothing. In JSON it is base64url (RFC 4648 section 5),
// which needs no escapes in a URL.
type Cursor string

// MarshalText encodes the cursor as base64url without padding.
func (c Cursor) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, []byte(c)), nil
}

// CutPage cuts a list to the size of a page. The caller reads up to limit+1 elements: the extra one shows that there is
// another page. The cursor is the place of the page's last element, or "" on the last page.
func CutPage[T any](list []T, limit int, place func(T) string) ([]T, Cursor) {
	if len(list) <= limit {
		return list, ""
	}
	return list[:limit], Cursor(place(list[limit-1]))
}

// ErrCursor answers a query parameter cursor that no answer contained.
var ErrCursor = Errorf(Malformed, "cursor must be the next_cursor of an answer")

// ParseCursor reads the query parameter cursor. Parse turns the text of a [Cursor] into a place, and returns false if
// it cannot. Without the parameter, ParseCursor returns the zero place. Its only error is [ErrCursor].
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

// ParseLimit reads the query parameter limit, the size of a page: from 1 to most. Without the parameter it returns
// otherwise. The parameter page may only be 1, as pages have no numbers: a client that counts up until a page is empty
// would never stop. The error is of kind [Malformed].
func ParseLimit(params map[string]string, fallback, most int) (int, error) {
	if page := params["page"]; page != "" && page != "1" {
		return 0, Errorf(Malformed, "page must be 1: pages have no numbers; "+
			"limit says how many a page has, and cursor, the next_cursor of the page before, where it begins")
	}
	text := params["limit"]
	if text == "" {
		return fallback, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > most {
		return 0, Errorf(Malformed, "limit must be an integer from 1 to %d", most)
	}
	return limit, nil
}
