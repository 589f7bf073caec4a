package api

import (
	"maps"
	"slices"
	"strings"
)

// normalizeHeaders brings the headers into API Gateway's form: names in lower case, values of a repeated name joined by
// commas, and cookies only in Cookies. Other servers build events differently: that of sam local passes names on in the
// form of its HTTP library (Api-Access-Token), and cookies as a header.
func (r *Request) normalizeHeaders() {
	foreign := false
	for name := range r.Headers {
		foreign = foreign || name == "cookie" || name != strings.ToLower(name)
	}
	if !foreign {
		return
	}
	headers := make(map[string]string, len(r.Headers))
	// Sorted, because the order of a map is random: repeated names must always join in the same order.
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
