package api

import "strings"

// Token returns the credential in the request's headers, or "". It takes the first of: api_access_token;
// api-access-token, because some servers (that of sam local, for one) drop header names with an underscore; a bearer
// token (RFC 6750 section 2.1).
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
