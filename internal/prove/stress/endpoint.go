package main

import (
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/prove/fixture"
)

// endpoint is one row of the report: the functions, and several kinds of mails.
type endpoint struct {
	name, method string
	refusals     []int // statuses that the answer to a good request may have besides 200, and 500 while things fail
}

// endpoints are all endpoints, in the report's order.
var endpoints []*endpoint

func newEndpoint(name, method string, refusals ...int) *endpoint {
	e := &endpoint{name, method, refusals}
	endpoints = append(endpoints, e)
	return e
}

// conflictOrInvalid are the refusals of writes that link categories: others may have changed the same, or deleted
// a target.
var conflictOrInvalid = []int{http.StatusConflict, http.StatusUnprocessableEntity}

var (
	mailPlain      = newEndpoint("send-mail", http.MethodPost, http.StatusConflict)
	mailFiles      = newEndpoint("send-mail, attachments", http.MethodPost, http.StatusConflict)
	mailMany       = newEndpoint("send-mail, 120 recipients", http.MethodPost, http.StatusConflict)
	mailReaders    = newEndpoint("send-mail, unsubscribe", http.MethodPost, http.StatusConflict)
	unsubscribing  = newEndpoint("unsubscribe", http.MethodPost, http.StatusConflict)
	unsubscribes   = newEndpoint("list-unsubscribes", http.MethodGet)
	mailShow       = newEndpoint("show-mail", http.MethodGet, http.StatusNotFound)
	mailList       = newEndpoint("list-mails", http.MethodGet)
	categoryList   = newEndpoint("list-categories", http.MethodGet)
	categoryShow   = newEndpoint("show-category", http.MethodGet)
	categoryOrder  = newEndpoint("reorder-categories", http.MethodPost, http.StatusConflict)
	categoryCreate = newEndpoint("create-category", http.MethodPost, conflictOrInvalid...)
	categoryUpdate = newEndpoint("update-category", http.MethodPut, conflictOrInvalid...)
	categoryDelete = newEndpoint("delete-category", http.MethodDelete, http.StatusConflict, http.StatusNotFound)
	publicList     = newEndpoint("list-public-categories", http.MethodGet)
	publicShow     = newEndpoint("show-public-category", http.MethodGet, http.StatusNotFound)
	userCreate     = newEndpoint("create-user", http.MethodPost, http.StatusConflict)
	userShow       = newEndpoint("show-user", http.MethodGet)
	userUpdate     = newEndpoint("update-user", http.MethodPatch, http.StatusConflict)
	userList       = newEndpoint("list-users", http.MethodGet)
	userDelete     = newEndpoint("delete-user", http.MethodDelete, http.StatusConflict)
	userToken      = newEndpoint("create-user-token", http.MethodPost, http.StatusConflict)
	userTokensEnd  = newEndpoint("delete-user-tokens", http.MethodDelete, http.StatusConflict)
	userLogin      = newEndpoint("login-link", http.MethodGet, http.StatusConflict)
	userSignIn     = newEndpoint("sign-in", http.MethodPost, http.StatusConflict, http.StatusUnauthorized)
	memberList     = newEndpoint("list-members", http.MethodGet)
	memberAdd      = newEndpoint("add-member", http.MethodPost, http.StatusConflict)
	memberRemove   = newEndpoint("remove-member", http.MethodDelete, http.StatusConflict)

	// reading are those of the rows that only read, by their programs.
	reading = readingEndpoints()
)

// readingEndpoints returns the endpoints that clients call anyway, and new ones where they do not.
func readingEndpoints() map[string]*endpoint {
	all := map[string]*endpoint{}
	for _, r := range fixture.Requests {
		name := r.Program()
		if !r.OnlyReads() || all[name] != nil {
			continue
		}
		called := slices.IndexFunc(endpoints, func(e *endpoint) bool {
			return e.program() == name && e.method == http.MethodGet
		})
		if called >= 0 {
			all[name] = endpoints[called]
		} else {
			all[name] = newEndpoint(name+", read", http.MethodGet)
		}
	}
	return all
}

// program returns the folder of the endpoint's function.
func (e *endpoint) program() string {
	name, _, _ := strings.Cut(e.name, ",")
	return name
}
