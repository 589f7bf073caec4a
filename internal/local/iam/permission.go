package iam

import "maps"

// Permission is one thing that IAM asks before a call is served. A call may need several of them.
type Permission struct {
	Action    string   // dynamodb:GetItem
	Resources []string // ARNs; any of them will do
	// Keys are the condition keys of the request. One that is absent is absent in IAM's sense: ForAllValues holds, Null
	// is true. With values that are Unknown no Allow that is conditioned on the key holds, and every Deny.
	Keys map[string][]string
}

// Unknown are the values of a condition key that the request has, and that could not be found out.
var Unknown = []string{}

// Grant is the decision of a policy on a permission.
func (p Permission) Grant(by Policy) Decision {
	decision := ImplicitDeny
	for _, resource := range p.Resources {
		decision = max(decision, by.evaluate(p.Action, resource, p.Keys))
	}
	return decision
}

// RequestKeys adds to keys those that every request has. The gate speaks plain HTTP, yet SecureTransport is true: the
// deployed function uses TLS.
func RequestKeys(region string, keys map[string][]string) map[string][]string {
	all := map[string][]string{requestedRegion: {region}, secureTransport: {"true"}}
	maps.Copy(all, keys)
	return all
}
