package mail

import "frontdesk/internal/service/mail/fetch"

// Source says where one kind of content comes from: a string, a URL, or both. One of them is used.
type Source struct {
	String string
	URL    string
}

// urlToFetch returns the URL to download, or "" to use the string. The string wins unless it is blank or urlFirst
// is set.
func (s Source) urlToFetch(urlFirst bool) string {
	if !blank(s.String) && !urlFirst {
		return ""
	}
	return s.URL
}

// checkOptionalURL checks a field that holds a URL or nothing.
func checkOptionalURL(s string) error {
	if s == "" {
		return nil
	}
	return fetch.CheckURL(s)
}
