// Package functions lists the programs of the folder functions, for tests that run them in their own process.
package functions

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/category"
	"frontdesk/internal/service/docs"
	"frontdesk/internal/service/loginpage"
	"frontdesk/internal/service/mail"
	"frontdesk/internal/service/mail/maillog"
	"frontdesk/internal/service/mail/unsubscribe"
	"frontdesk/internal/service/member"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/signin"
)

// Programs are all functions, by the names of their folders. Each is what the main of its folder runs.
var Programs = map[string]api.Program{
	"add-member":             api.Serve(member.FromEnvironment, (*member.Service).AddFunction),
	"create-category":        api.Serve(category.FromEnvironment, (*category.Service).CreateFunction),
	"create-user-token":      api.Serve(user.FromEnvironment, (*user.Service).TokenFunction),
	"create-user":            api.Serve(user.FromEnvironment, (*user.Service).CreateFunction),
	"delete-category":        api.Serve(category.FromEnvironment, (*category.Service).DeleteFunction),
	"delete-user-tokens":     api.Serve(user.FromEnvironment, (*user.Service).DeleteTokensFunction),
	"delete-user":            api.Serve(user.FromEnvironment, (*user.Service).DeleteFunction),
	"docs":                   api.ServeAlone(docs.Function),
	"list-categories":        api.Serve(category.FromEnvironment, (*category.Service).ListFunction),
	"list-mails":             api.Serve(maillog.FromEnvironment, (*maillog.Service).ListFunction),
	"list-members":           api.Serve(member.FromEnvironment, (*member.Service).ListFunction),
	"list-public-categories": api.Serve(category.FromEnvironment, (*category.Service).ListPublicFunction),
	"list-unsubscribes":      api.Serve(unsubscribe.FromEnvironment, unsubscribe.Store.ListFunction),
	"list-users":             api.Serve(user.FromEnvironment, (*user.Service).ListFunction),
	"login-link":             api.Serve(user.FromEnvironment, (*user.Service).LoginFunction),
	"login-page":             api.ServeAlone(loginpage.Function),
	"record-mail-event":      maillog.Recorder,
	"remove-member":          api.Serve(member.FromEnvironment, (*member.Service).RemoveFunction),
	"reorder-categories":     api.Serve(category.FromEnvironment, (*category.Service).ReorderFunction),
	"send-mail":              api.Serve(mail.FromEnvironment, (*mail.Service).Function),
	"show-category":          api.Serve(category.FromEnvironment, (*category.Service).ShowFunction),
	"show-mail":              api.Serve(maillog.FromEnvironment, (*maillog.Service).ShowFunction),
	"show-public-category":   api.Serve(category.FromEnvironment, (*category.Service).ShowPublicFunction),
	"show-public-portal":     api.Serve(category.FromEnvironment, (*category.Service).ShowPublicPortalFunction),
	"show-user":              api.Serve(user.FromEnvironment, (*user.Service).ShowFunction),
	"sign-in":                api.Serve(user.FromEnvironment, signin.Function),
	"unsubscribe":            api.Serve(unsubscribe.FromEnvironment, unsubscribe.Store.LinkFunction),
	"update-category":        api.Serve(category.FromEnvironment, (*category.Service).UpdateFunction),
	"update-user":            api.Serve(user.FromEnvironment, (*user.Service).UpdateFunction),
}
