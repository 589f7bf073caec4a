// Package operator has the commands with which an operator manages the table's content: credentials of callers,
// users, and portals with their members.
//
// Every command works on the table directly, with the operator's own AWS credentials, and not through the API: most
// of what an operator does, no token of a caller may do. A command reads its flags, calls the store of a feature, and
// prints what the store returns. The rules are in the store, which the functions use as well.
package operator

// Commands are the commands of an operator. Their order is that of the help.
type Commands struct {
	Table        tableGroup        `cmd:"" help:"The table." example:"frontdesk --stack frontdesk table list-access access.ndjson"`
	MailKey      mailKeyGroup      `cmd:"" name:"mail-key" set:"thing=key" help:"Keys that send mail." example:"frontdesk --local mail-key list"`
	Unsubscribes unsubscribesGroup `cmd:"" help:"Addresses that want no more mails of a mail key." example:"frontdesk --local unsubscribes list 122817834361826"`
	PlatformApp  platformAppGroup  `cmd:"" name:"platform-app" set:"thing=app" help:"Applications that manage users." example:"frontdesk --local platform-app list"`
	User         userGroup         `cmd:"" help:"Users and their agent tokens." example:"frontdesk --local user show --email ada@example.org"`
	Portal       portalGroup       `cmd:"" help:"Portals, which have categories and members." example:"frontdesk --local portal list"`
	Export       exportCommand     `cmd:"" help:"Write portals, users and all that belongs to them as lines of JSON, which import reads. Exit status 3: something was changed meanwhile." example:"frontdesk --stack frontdesk export --account 1 account-1.ndjson"`
	Import       importCommand     `cmd:"" help:"Write the records of a file that the table lacks, after the whole file was read and no fault found. Run it again to continue an interrupted import." example:"frontdesk --local import --dry-run account-1.ndjson\nfrontdesk --local import account-1.ndjson --app 122817834361827=122818426487896"`
}
