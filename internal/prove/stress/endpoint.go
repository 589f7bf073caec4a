package main

import "net/http"

// endpoint is one row of the report: the functions, and several kinds of mails.
type endpoint struct {
	name, method string
	refusals     []int // statuses that the answer to a good request may have besides 200, and 500 while things fail
}

var (
	mailPlain      = &endpoint{"send-mail", http.MethodPost, []int{http.StatusConflict}}
	mailFiles      = &endpoint{"send-mail, attachments", http.MethodPost, []int{http.StatusConflict}}
	mailMany       = &endpoint{"send-mail, 120 recipients", http.MethodPost, []int{http.StatusConflict}}
	mailReaders    = &endpoint{"send-mail, unsubscribe", http.MethodPost, []int{http.StatusConflict}}
	unsubscribing  = &endpoint{"unsubscribe", http.MethodPost, []int{http.StatusConflict}}
	unsubscribes   = &endpoint{"list-unsubscribes", http.MethodGet, nil}
	mailShow       = &endpoint{"show-mail", http.MethodGet, []int{http.StatusNotFound}}
	mailList       = &endpoint{"list-mails", http.MethodGet, nil}
	categoryList   = &endpoint{"list-categories", http.MethodGet, nil}
	categoryShow   = &endpoint{"show-category", http.MethodGet, nil}
	categoryOrder  = &endpoint{"reorder-categories", http.MethodPost, []int{http.StatusConflict}}
	categoryCreate = &endpoint{"create-category", http.MethodPost, conflictOrInvalid}
	categoryUpdate = &endpoint{"update-category", http.MethodPut, conflictOrInvalid}
	categoryDelete = &endpoint{"delete-category", http.MethodDelete, []int{http.StatusConflict, http.StatusNotFound}}
	publicList     = &endpoint{"list-public-categories", http.MethodGet, nil}
	publicShow     = &endpoint{"show-public-category", http.MethodGet, []int{http.StatusNotFound}}
	userCreate     = &endpoint{"create-user", http.MethodPost, []int{http.StatusConflict}}
	userShow       = &endpoint{"show-user", http.MethodGet, nil}
	userUpdate     = &endpoint{"update-user", http.MethodPatch, []int{http.StatusConflict}}
	userList       = &endpoint{"list-users", http.MethodGet, nil}
	userDelete     = &endpoint{"delete-user", http.MethodDelete, []int{http.StatusConflict}}
	userToken      = &endpoint{"create-user-token", http.MethodPost, []int{http.StatusConflict}}
	userTokensEnd  = &endpoint{"delete-user-tokens", http.MethodDelete, []int{http.StatusConflict}}
	userLogin      = &endpoint{"login-link", http.MethodGet, []int{http.StatusConflict}}
	userSignIn     = &endpoint{"sign-in", http.MethodPost, []int{http.StatusConflict, http.StatusUnauthorized}}
	memberList     = &endpoint{"list-members", http.MethodGet, nil}
	memberAdd      = &endpoint{"add-member", http.MethodPost, []int{http.StatusConflict}}
	memberRemove   = &endpoint{"remove-member", http.MethodDelete, []int{http.StatusConflict}}
	pageDocs       = &endpoint{"docs", http.MethodGet, nil}
	pageLogin      = &endpoint{"login-page", http.MethodGet, nil}
)

// conflictOrInvalid are the refusals of writes that link categories: others may have changed the same, or deleted
// a target.
var conflictOrInvalid = []int{http.StatusConflict, http.StatusUnprocessableEntity}

// endpoints are all endpoints, in the report's order.
var endpoints = []*endpoint{
	mailPlain, mailFiles, mailMany, mailReaders, mailShow, mailList, unsubscribing, unsubscribes,
	categoryList, categoryShow, categoryCreate, categoryUpdate, categoryOrder, categoryDelete,
	publicList, publicShow,
	userCreate, userList, userShow, userUpdate, userDelete, userToken, userTokensEnd, userLogin, userSignIn,
	memberList, memberAdd, memberRemove, pageDocs, pageLogin,
}
