package iam

import "maps"

// Permission is one thing that IAM asks before a call is served. A call may need several of them.
type Permission struct {
	Action    string              // dynamodb:GetItem
	Resources []string            // ARNs; any of them will do
	Keys      map[string][]string // condition keys, see Policy.Allows
}

// Grant is the decision of a policy on a permission.
func (p Permission) Grant(by Policy) Decision {
	v := ImplicitDeny
	for _, resource := range p.Resources {
		v = max(v, by.evaluate(p.Action, resource, p.Keys))
	}
	return v
}

// Unknown marks a condition key that the request has with values that could not be found out.
var Unknown = []string{}

// RequestKeys adds to keys those that every request has. The gate speaks plain HTTP, yet SecureTransport is true: the
// deployed function uses TLS.
func RequestKeys(region string, keys map[string][]string) map[string][]string {
	all := map[string][]string{
		requestedRegion: {region},
		secureTransport: {"true"},
	}
	maps.Copy(all, keys)
	return all
}
