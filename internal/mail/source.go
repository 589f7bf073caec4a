package mail

import "frontdesk/internal/mail/fetch"

// Source is where one kind of content comes from: a string, a URL, or both, of which one is used.
type Source struct {
	String string
	URL    string
}

// urlToFetch is the URL that the source is fetched from, "" where its string is used: the string wins unless it is
// blank, or urlFirst.
func (s Source) urlToFetch(urlFirst bool) string {
	if !blank(s.String) && !urlFirst {
		return ""
	}
	return s.URL
}

// checkOptionalURL is the rule for a field that holds a URL to fetch, or nothing.
func checkOptionalURL(s string) error {
	if s == "" {
		return nil
	}
	return fetch.CheckURL(s)
}
