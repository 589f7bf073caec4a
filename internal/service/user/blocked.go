package user

import (
	"encoding/json"
	"slices"
	"strings"

	"frontdesk/internal/base/api"
)

// blockingNames are fields by which other user APIs end or delay a sign-in, each with the value that does. Here a user
// signs in as long as there is one, so an app that believes otherwise gets an error. Names are those of [api.FoldName].
//
// The APIs: Auth0, Clerk, Firebase, FusionAuth, GitLab, Google, Keycloak, Microsoft, SCIM, Supabase and Zendesk.
var blockingNames = map[string]struct {
	value bool
	why   string
}{
	"active":         {false, signsIn},
	"isactive":       {false, signsIn},
	"enabled":        {false, signsIn},
	"isenabled":      {false, signsIn},
	"accountenabled": {false, signsIn},
	"blocked":        {true, signsIn},
	"isblocked":      {true, signsIn},
	"disabled":       {true, signsIn},
	"isdisabled":     {true, signsIn},
	"suspended":      {true, signsIn},
	"issuspended":    {true, signsIn},
	"suspendeduntil": {true, signsIn},
	"banned":         {true, signsIn},
	"isbanned":       {true, signsIn},
	"banduration":    {true, signsIn},
	"banneduntil":    {true, signsIn},
	"locked":         {true, signsIn},
	"islocked":       {true, signsIn},
	"deactivated":    {true, signsIn},
	"isdeactivated":  {true, signsIn},
	"inactive":       {true, signsIn},

	"requireconfirmation": {true, confirmed},
	"skipconfirmation":    {false, confirmed},
}

// blockingWords are values of a field status or state that do the same, in any case of letters.
var blockingWords = []string{"inactive", "disabled", "blocked", "suspended", "banned", "deactivated", "locked"}

// What there is in place of a field that blocks.
const (
	ends = "DELETE /platform/api/v1/users/{user_id}/token ends the user's tokens and login links, " +
		"a new password ends the old one, too, and DELETE /platform/api/v1/users/{user_id} ends the user"
	signsIn   = "is not possible: a user cannot be blocked; " + ends
	confirmed = "is not possible: a user can sign in at once; create the user when the address is confirmed"
	patchOp   = "is not possible: a SCIM PatchOp is not read; " +
		`give the fields themselves, as in {"name": "Ada King"}; to block a user is not possible either; ` + ends
)

// checkBlocking refuses fields by which an app means to end or delay a user's sign-in. Call it last: it looks at the
// fields that nobody has read.
func checkBlocking(f *api.Faults, o *api.Object) {
	blocks := func(name string, value json.RawMessage) bool { return blocking(name, value) != "" }
	for _, name := range o.Claim(blocks) {
		f.AddTo(api.Brief(name), "%s", blocking(name, o.Raw(name)))
	}
}

// blocking returns what is wrong with a field that does not exist, or "".
func blocking(name string, value json.RawMessage) string {
	plain := api.FoldName(name)
	field, known := blockingNames[plain]
	switch {
	case known && field.value && api.TurnsOn(value), known && !field.value && api.TurnsOff(value):
		return field.why
	case plain == "status" || plain == "state":
		var word string
		if json.Unmarshal(value, &word) == nil && slices.Contains(blockingWords, strings.ToLower(word)) {
			return signsIn
		}
	case plain == "operations":
		// RFC 7644 section 3.5.2. The schemas beside it say the same.
		var list []struct{ Op string }
		if json.Unmarshal(value, &list) == nil && len(list) > 0 && list[0].Op != "" {
			return patchOp
		}
	}
	return ""
}
