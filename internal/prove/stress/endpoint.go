package main

import (
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/prove/fixture"
)

// endpoint is one row of the report: the functions, and several kinds of mails.
type endpoint struct {
	name, operation string
	refusals        []int // statuses that the answer to a good request may have besides 200, and 500 while things fail
}

// endpoints are all endpoints, in the report's order.
var endpoints []*endpoint

func newEndpoint(name, operation string, refusals ...int) *endpoint {
	e := &endpoint{name, operation, refusals}
	endpoints = append(endpoints, e)
	return e
}

// conflictOrInvalid are the refusals of writes that link categories: others may have changed the same, or deleted
// a target.
var conflictOrInvalid = []int{http.StatusConflict, http.StatusUnprocessableEntity}

var (
	mailPlain      = newEndpoint("send-mail", "sendMail", http.StatusConflict)
	mailFiles      = newEndpoint("send-mail, attachments", "sendMail", http.StatusConflict)
	mailMany       = newEndpoint("send-mail, 120 recipients", "sendMail", http.StatusConflict)
	mailReaders    = newEndpoint("send-mail, unsubscribe", "sendMail", http.StatusConflict)
	unsubscribing  = newEndpoint("unsubscribe", "createUnsubscribe", http.StatusConflict)
	unsubscribes   = newEndpoint("list-unsubscribes", "listUnsubscribes")
	mailShow       = newEndpoint("show-mail", "getMail", http.StatusNotFound)
	mailList       = newEndpoint("list-mails", "listMails")
	categoryList   = newEndpoint("list-categories", "listCategories")
	categoryShow   = newEndpoint("show-category", "getCategory")
	categoryOrder  = newEndpoint("reorder-categories", "reorderCategories", http.StatusConflict)
	categoryCreate = newEndpoint("create-category", "createCategory", conflictOrInvalid...)
	categoryUpdate = newEndpoint("update-category", "updateCategory", conflictOrInvalid...)
	categoryDelete = newEndpoint("delete-category", "deleteCategory", http.StatusConflict, http.StatusNotFound)
	publicList     = newEndpoint("list-public-categories", "listPublicCategories")
	publicShow     = newEndpoint("show-public-category", "getPublicCategory", http.StatusNotFound)
	userCreate     = newEndpoint("create-user", "createUser", http.StatusConflict)
	userShow       = newEndpoint("show-user", "getUser")
	userUpdate     = newEndpoint("update-user", "updateUser", http.StatusConflict)
	userList       = newEndpoint("list-users", "listUsers")
	userDelete     = newEndpoint("delete-user", "deleteUser", http.StatusConflict)
	userToken      = newEndpoint("create-user-token", "createUserToken", http.StatusConflict)
	userTokensEnd  = newEndpoint("delete-user-tokens", "deleteUserTokens", http.StatusConflict)
	userLogin      = newEndpoint("login-link", "createLoginLink", http.StatusConflict)
	userSignIn     = newEndpoint("sign-in", "signIn", http.StatusConflict, http.StatusUnauthorized)
	memberList     = newEndpoint("list-members", "listMembers")
	memberAdd      = newEndpoint("add-member", "createMember", http.StatusConflict)
	memberRemove   = newEndpoint("remove-member", "deleteMember", http.StatusConflict)

	// reading are those of the rows that only read, by their operations.
	reading = readingEndpoints()
)

// readingEndpoints returns the endpoints that clients call anyway, and new ones where they do not.
func readingEndpoints() map[string]*endpoint {
	all := map[string]*endpoint{}
	for _, r := range fixture.Requests {
		if !r.OnlyReads() || all[r.Operation] != nil {
			continue
		}
		called := slices.IndexFunc(endpoints, func(e *endpoint) bool { return e.operation == r.Operation })
		if called >= 0 {
			all[r.Operation] = endpoints[called]
		} else {
			all[r.Operation] = newEndpoint(r.Program()+", "+r.Operation, r.Operation)
		}
	}
	return all
}

// program returns the folder of the endpoint's function.
func (e *endpoint) program() string {
	name, _, _ := strings.Cut(e.name, ",")
	return name
}
