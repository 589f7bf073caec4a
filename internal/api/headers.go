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
	names := slices.Sorted(maps.Keys(r.Headers)) // a map has no order, and an answer should not depend on chance
	if _, cookies := r.Headers["cookie"]; !cookies && !slices.ContainsFunc(names, hasUpper) {
		return
	}
	headers := make(map[string]string, len(r.Headers))
	for _, name := range names {
		lower, value := strings.ToLower(name), r.Headers[name]
		if before, repeated := headers[lower]; repeated {
			value = before + "," + value
		}
		headers[lower] = value
	}
	if len(r.Cookies) == 0 {
		for cookie := range strings.SplitSeq(headers["cookie"], ";") {
			if cookie = strings.TrimSpace(cookie); cookie != "" {
				r.Cookies = append(r.Cookies, cookie)
			}
		}
	}
	delete(headers, "cookie")
	r.Headers = headers
}

func hasUpper(name string) bool { return name != strings.ToLower(name) }
