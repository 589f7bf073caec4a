// Package operator has the commands by which an operator manages the table's content: credentials of callers, users,
// and portals with their members.
package operator

// Commands are the commands of an operator.
type Commands struct {
	Table        tableGroup        `cmd:"" help:"The table."`
	MailKey      mailKeyGroup      `cmd:"" name:"mail-key" set:"thing=key" help:"Keys that send mail."`
	Unsubscribes unsubscribesGroup `cmd:"" help:"Who wants no more mails of a mail key."`
	PlatformApp  platformAppGroup  `cmd:"" name:"platform-app" set:"thing=app" help:"Applications that manage users."`
	User         userGroup         `cmd:"" help:"Users and their agent tokens."`
	Portal       portalGroup       `cmd:"" help:"Portals, which have categories and members."`
	Export       exportCommand     `cmd:"" help:"${export}"`
	Import       importCommand     `cmd:"" help:"${import}"`
}

// Help has the help texts that are too long for a tag, by the names that the tags use.
var Help = map[string]string{
	"export": "Write portals, users and what hangs on them as lines of JSON, which import reads. Exit status 3 says " +
		"that something was changed meanwhile.",
	"export_password_hashes": "With the hashes of the users' passwords, by which others may guess these.",
	"import": "Write what a file has and the table has not, once the whole file is read and nothing is wrong with " +
		"it. One that was interrupted goes on.",
	"import_app": "The app that takes the place of one in the file; may be repeated. Default: the one of the same id.",
	"import_ids": "File that gets the new id of every user and category. Only you may read it. " +
		"Default: frontdesk-ids-<table>-<time>.ndjson in the working folder.",
	"import_keep_ids": "Give new categories the ids that they have in the file, where the table knows nothing of " +
		"these.",
	"import_mail_key": "The mail key that takes the place of one in the file; may be repeated. " +
		"Default: the one of the same id.",
	"import_update": "Change what is there and differs, but for e-mail addresses and passwords.",
	"mail_key_from": "Address or domain that the key may send as; may be repeated; * is any. " +
		"Default: the domain of --sender.",
	"mail_key_quota": "Show how many of its recipients a day a key has used, or change how many it has.",
	"mail_key_redirect": "For tests: all its mails go to this address in place of their recipients. " +
		"The stack's RedirectMailTo counts before it.",
	"mail_key_redirect_allow": "Domain whose addresses get the mails all the same; may be repeated. " +
		"Domains below it are others.",
	"mail_key_sender": "Sender of mails that name none. Default: DefaultSender, if --from allows it.",
	"platform_app_login_url": "Where the app's login links lead: https, or http for this machine. " +
		"An empty one, the default, is the page of FrontendUrl.",
	"platform_app_may_import_hashes": "Whether the app may create users with password_hash, " +
		"which other programs have made, in place of a password.",
	"platform_app_revoke": "End an app's access token and login links for good. Its users and grants stay, " +
		"of no use to it, and so do memberships that it made.",
	"platform_app_revoke_grant": "Let an app no longer keep the members of an account's portals. " +
		"Memberships that it made stay.",
	"platform_app_rotate":   "Give an app another access token, shown once. The old one ends at once.",
	"portal_default_locale": "Locale of a category that names none. Default: the first of --locales.",
	"portal_delete": "Delete a portal and its memberships. " +
		"A deletion that was interrupted goes on when it is asked for again.",
	"portal_public": "Whether anybody may read its categories; with --no-public nobody but its members, " +
		"once a minute has passed.",
	"portal_update": "Change a portal's name or locales, or whether it is public. " +
		"Categories of a locale that goes stay.",
	"table_create": "Create the table, wait until it is active, and enable its time to live. " +
		"sam deploy does this by itself.",
	"table_again": "Though the table was reopened before. Whatever was made in it since ends: for a table that has " +
		"taken no traffic.",
	"table_imported": "The table was imported, not restored, so it cannot say from which table: you are sure that it " +
		"is an earlier state of --from.",
	"table_chain": "The table was restored from another one, whose place --from took later.",
	"table_nothing_ended": "Nothing has ended since the backup, or it is ended by hand: end login links alone. It is " +
		"for the backup that DynamoDB makes of a table which is deleted.",
	"table_from": "The table that this one takes the place of, or a file with its list-access. A name that is a " +
		"file's is the file.",
	"table_list_access": "Write a list of what gives access into a new file, for a reopen when the table itself is " +
		"gone. The file has e-mail addresses, and no secret.",
	"table_reopen": "End again, in a table that was restored from a backup, what has ended since. It is for the time " +
		"before the table takes traffic.",
	"table_put_back": "Put back the items that check --repair has deleted or changed, " +
		"each unless somebody has written it since.",
	"unsubscribes_add": "Let an address get no more mails of a list. No link in a mail takes that back.",
	"unsubscribes_export": "Print who has unsubscribed as CSV: email, list, by and at. " +
		"A new key begins with nobody: import there what the old one has.",
	"unsubscribes_import": "Add the addresses that standard input has: one on a line, or what export prints. " +
		"--list is that of a line without one.",
	"unsubscribes_list": "The list. Default: that of mails that name none; of list and export, all lists.",
	"user_create": "Create a user of a platform app, with a password that is read from standard input. " +
		"frontdesk portal add-member makes an agent of the user.",
	"user_set_password": "Give a user another password, read from standard input; at a terminal it is asked for. " +
		"It ends the user's agent tokens and login links.",
}
