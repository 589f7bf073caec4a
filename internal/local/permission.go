package local

import (
	"maps"

	"frontdesk/internal/local/template"
)

// permission is one thing that IAM asks before a call is served. A call may need several of them.
type permission struct {
	action    string              // dynamodb:GetItem
	resources []string            // ARNs; any of them will do
	keys      map[string][]string // condition keys, see Policy.Allows
}

// grant is the verdict of a policy on a permission.
func (p permission) grant(by Policy) verdict {
	v := denied
	for _, resource := range p.resources {
		v = max(v, by.evaluate(p.action, resource, p.keys))
	}
	return v
}

// unknown marks a condition key that the request has with values that could not be found out.
var unknown = []string{}

// requestKeys adds to keys those that every request has. The gate speaks plain HTTP, yet SecureTransport is true: the
// deployed function uses TLS.
func requestKeys(v template.Values, keys map[string][]string) map[string][]string {
	all := map[string][]string{
		keyRequestedRegion: {v.Region},
		keySecureTransport: {"true"},
	}
	maps.Copy(all, keys)
	return all
}
