package iam

import "maps"

// Permission is one thing that IAM checks before a call is served. A call may need several permissions.
type Permission struct {
	Action    string   // dynamodb:GetItem
	Resources []string // of which any one suffices
	// Keys are the condition keys of the request. A key that is not in Keys is absent in IAM's sense: ForAllValues
	// holds, and Null is true. If the values of a key are Unknown, no Allow with a condition on it holds, and every
	// Deny does.
	Keys map[string][]string
}

// Unknown are the values of a condition key that the request has, but that could not be determined.
var Unknown = []string{}

// Grant returns the decision of a policy about the permission. A Deny on one of the resources counts more than an Allow
// on another.
func (p Permission) Grant(by Policy) Decision {
	decision := ImplicitDeny
	for _, resource := range p.Resources {
		decision = max(decision, by.evaluate(p.Action, resource, p.Keys))
	}
	return decision
}

// RequestKeys adds the keys that every request has. SecureTransport is true although the gate speaks plain HTTP: the
// deployed function uses TLS.
func RequestKeys(region string, keys map[string][]string) map[string][]string {
	all := map[string][]string{requestedRegion: {region}, secureTransport: {"true"}}
	maps.Copy(all, keys)
	return all
}
