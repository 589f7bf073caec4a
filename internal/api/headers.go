package api

import (
	"maps"
	"slices"
	"strings"
)

// normalizeHeaders brings the headers into the form of API Gateway: names in lower case, the values of a repeated name
// joined with a comma, and cookies in Cookies alone. The server of sam local hands on names as its client library
// writes them (Api-Access-Token), and cookies as a header.
func (r *Request) normalizeHeaders() {
	foreign := false
	for name := range r.Headers {
		foreign = foreign || name == "cookie" || name != strings.ToLower(name)
	}
	if !foreign {
		return
	}
	headers := make(map[string]string, len(r.Headers))
	// In order: a map has none, and an answer should not depend on chance.
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		lower, value := strings.ToLower(name), r.Headers[name]
		if before, repeated := headers[lower]; repeated {
			value = before + "," + value
		}
		headers[lower] = value
	}
	if len(r.Cookies) == 0 {
		for cookie := range strings.SplitSeq(headers["cookie"], ";") {
			cookie = strings.TrimSpace(cookie)
			if cookie != "" {
				r.Cookies = append(r.Cookies, cookie)
			}
		}
	}
	delete(headers, "cookie")
	r.Headers = headers
}
