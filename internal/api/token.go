package api

import "strings"

// Token is the credential in the request's headers: api_access_token; else api-access-token, because servers
// such as the one of sam local drop names with an underscore; else a bearer token (RFC 6750 section 2.1).
// It is "" where there is none.
func (r *Request) Token() string {
	for _, name := range []string{"api_access_token", "api-access-token"} {
		if token := r.Headers[name]; token != "" {
			return token
		}
	}
	scheme, token, _ := strings.Cut(r.Headers["authorization"], " ")
	if strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(token)
	}
	return ""
}
