// Package operator has the commands with which an operator manages the table's content: credentials of callers,
// users, and portals with their members.
//
// Every command works on the table directly, with the operator's own AWS credentials, and not through the API: most
// of what an operator does, no token of a caller may do. A command reads its flags, calls the store of a feature, and
// prints what the store returns. The rules are in the store, which the functions use as well.
package operator

// Commands are the commands of an operator. Their order is that of the help.
type Commands struct {
	Table        tableGroup        `cmd:"" help:"The table."`
	MailKey      mailKeyGroup      `cmd:"" name:"mail-key" set:"thing=key" help:"Keys that send mail."`
	Unsubscribes unsubscribesGroup `cmd:"" help:"Addresses that want no more mails of a mail key."`
	PlatformApp  platformAppGroup  `cmd:"" name:"platform-app" set:"thing=app" help:"Applications that manage users."`
	User         userGroup         `cmd:"" help:"Users and their agent tokens."`
	Portal       portalGroup       `cmd:"" help:"Portals, which have categories and members."`
	Export       exportCommand     `cmd:"" help:"${export}"`
	Import       importCommand     `cmd:"" help:"${import}"`
}

// Help has the help texts that are too long for a tag, by the names that the tags use.
var Help = map[string]string{
	"export": "Write portals, users and all that belongs to them as lines of JSON, which import reads. " +
		"Exit status 3: something was changed meanwhile.",
	"export_password_hashes": "Include the hashes of the users' passwords. Whoever has the file can try to guess " +
		"the passwords.",
	"import": "Write the records of a file that the table lacks, after the whole file was read and no fault found. " +
		"Run it again to continue an interrupted import.",
	"import_app": "App that replaces one of the file; may be repeated. Default: the app with the same id.",
	"import_ids": "File that gets the new id of every user and category. Only you may read it. " +
		"Default: frontdesk-ids-<table>-<time>.ndjson in the working folder.",
	"import_keep_ids": "Give categories the ids of the file, in the portals that the import makes.",
	"import_mail_key": "Mail key that replaces one of the file; may be repeated. Default: the key with the same id.",
	"import_update":   "Change records that are there and differ, except e-mail addresses and passwords.",
	"mail_key_from": "Address or domain that the key may send as; may be repeated; * is any. " +
		"Default: the domain of --sender.",
	"mail_key_quota": "Show how much of its daily quota of recipients a key has used, or change the quota.",
	"mail_key_redirect": "For tests: all its mails go to this address instead of their recipients. " +
		"The stack's RedirectMailTo overrides it.",
	"mail_key_redirect_allow": "Domain whose addresses still get their mails; may be repeated. " +
		"Its subdomains are not included.",
	"mail_key_sender": "Sender of mails that name none. Default: DefaultSender, if --from allows it.",
	"platform_app_login_url": "Where the app's login links lead: https, or http for this machine. " +
		"Empty, the default, means the page of FrontendUrl.",
	"platform_app_may_import_hashes": "Whether the app may create users with a password_hash of another program " +
		"instead of a password.",
	"platform_app_revoke": "End an app's access token and login links for good. Its users and grants stay, " +
		"but it can no longer use them. Memberships that it made stay as well.",
	"platform_app_revoke_grant": "Stop an app from managing the members of an account's portals. " +
		"Memberships that it made stay.",
	"platform_app_rotate":   "Give an app another access token, shown once. The old one ends at once.",
	"portal_default_locale": "Locale of a category that names none. Default: the first of --locales.",
	"portal_delete": "Delete a portal and its memberships. " +
		"Run it again to continue an interrupted deletion.",
	"portal_public": "Whether anybody may read its categories; with --no-public only its members may, " +
		"after at most a minute.",
	"portal_update": "Change a portal's name or locales, or whether it is public. " +
		"Categories of a removed locale stay.",
	"table_create": "Create the table, wait until it is active, and enable its time to live. " +
		"sam deploy does this by itself.",
	"table_again": "Reopen a table that was reopened before. All that was made in it since ends: only for a table " +
		"that has taken no traffic.",
	"table_imported": "The table was imported, not restored, so DynamoDB does not know its source. You confirm that " +
		"it is an earlier state of --from.",
	"table_chain": "The table was restored from another one, which --from replaced later.",
	"table_nothing_ended": "Nothing has ended since the backup, or you end it by hand: only login links end. " +
		"So it is with the last backup of a deleted table.",
	"table_from": "The table that this one replaces, or a file with its list-access. " +
		"If there is a file of this name, it is the file.",
	"table_list_access": "Write a list of what gives access into a new file, for a reopen when the table itself is " +
		"gone. The file has e-mail addresses, but no secret.",
	"table_end": "Allow that more than a tenth ends of a kind of item, such as agent-token. " +
		"Give it once for each kind.",
	"table_reopen": "In a table restored from a backup, end again what has ended since. " +
		"Run it before the table takes traffic.",
	"unsubscribes_add": "Stop the mails of a list to an address. No link in a mail takes that back.",
	"unsubscribes_export": "Print the unsubscribes as CSV: email, list, by and at. " +
		"A new key begins without any: import those of the old key.",
	"unsubscribes_import": "Add the addresses on standard input: one on each line, or the output of export. " +
		"--list is for lines without a list.",
	"unsubscribes_list": "The list. Default: that of mails that name none; for list and export, all lists.",
	"user_create": "Create a user of a platform app, with a password from standard input. " +
		"frontdesk portal add-member makes the user an agent.",
	"user_set_password": "Give a user another password, from standard input; at a terminal the tool asks for it. " +
		"This ends the user's agent tokens and login links.",
}
