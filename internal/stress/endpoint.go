package main

// endpoint is what the report tells apart: the functions, and three kinds of mails.
type endpoint string

const (
	mailPlain      endpoint = "send-mail"
	mailFiles      endpoint = "send-mail, attachments"
	mailMany       endpoint = "send-mail, 120 recipients"
	categoryList   endpoint = "list-categories"
	categoryCreate endpoint = "create-category"
	categoryUpdate endpoint = "update-category"
	categoryDelete endpoint = "delete-category"
	userCreate     endpoint = "create-user"
	userShow       endpoint = "show-user"
	userUpdate     endpoint = "update-user"
	userLogin      endpoint = "login-link"
	userSignIn     endpoint = "sign-in"
	pageDocs       endpoint = "docs"
	pageLogin      endpoint = "login-page"
)

// endpoints are all of them, in the report's order.
var endpoints = []endpoint{
	mailPlain, mailFiles, mailMany, categoryList, categoryCreate, categoryUpdate, categoryDelete,
	userCreate, userShow, userUpdate, userLogin, userSignIn, pageDocs, pageLogin,
}
