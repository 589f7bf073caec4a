package main

// examples are the command lines that help shows for each command and group, by its words; "" is the tool itself. A
// test parses them. Ids have 15 digits, as real ones do.
var examples = map[string][]string{
	"": {"frontdesk local", "frontdesk --local status", "frontdesk help mail send"},

	"local": {
		"frontdesk local --seed", "frontdesk local --port 3001 --parameter AllowedOrigins=http://localhost:5173",
	},
	"status":     {"frontdesk --local status", "frontdesk --stack frontdesk status"},
	"open":       {"frontdesk --local open docs"},
	"logs":       {"frontdesk --local logs --follow", "frontdesk --local --json logs --last 1"},
	"check":      {"frontdesk --stack frontdesk check", "frontdesk --stack frontdesk check --repair"},
	"doctor":     {"frontdesk --stack frontdesk doctor"},
	"version":    {"frontdesk version"},
	"help":       {"frontdesk help mail-key create"},
	"completion": {"frontdesk completion zsh > ~/.zfunc/_frontdesk"},

	"mail": {"frontdesk --local mail list"},
	"mail send": {
		"frontdesk --local mail send --to ada@example.org --subject Hello --text 'Hello, Ada.'",
		"frontdesk --stack frontdesk mail send --key-file key.txt --attach bill.pdf mail.json",
	},
	"mail list": {"frontdesk --local mail list --status bounced --day 2026-11-26"},
	"mail show": {"frontdesk --local mail show 010001a215a1e31e-10ddccda-7535-4cb0-b6fb-4461670a371e-000000"},

	"mail-key":        {"frontdesk --local mail-key list"},
	"mail-key create": {"frontdesk --stack frontdesk mail-key create --name shop --sender 'Shop <shop@example.com>'"},
	"mail-key list":   {"frontdesk --stack frontdesk mail-key list"},
	"mail-key quota":  {"frontdesk --stack frontdesk mail-key quota 122817834361826 --daily 5000"},
	"mail-key revoke": {"frontdesk --stack frontdesk mail-key revoke 122817834361826"},

	"unsubscribes":        {"frontdesk --local unsubscribes list 122817834361826"},
	"unsubscribes list":   {"frontdesk --stack frontdesk unsubscribes list 122817834361826 --list news"},
	"unsubscribes add":    {"frontdesk --stack frontdesk unsubscribes add 122817834361826 ada@example.org --list news"},
	"unsubscribes remove": {"frontdesk --stack frontdesk unsubscribes remove 122817834361826 ada@example.org"},
	"unsubscribes import": {"frontdesk --stack frontdesk unsubscribes import 122817834361826 < unsubscribed.csv"},
	"unsubscribes export": {"frontdesk --stack frontdesk unsubscribes export 122817834361826 > unsubscribed.csv"},

	"platform-app": {"frontdesk --local platform-app list"},
	"platform-app create": {
		"frontdesk --stack frontdesk platform-app create --name shop --login-url https://help.example.com/login",
	},
	"platform-app update":       {"frontdesk --local platform-app update 122817834361827 --may-import-hashes"},
	"platform-app list":         {"frontdesk --stack frontdesk platform-app list"},
	"platform-app rotate":       {"frontdesk --stack frontdesk platform-app rotate 122817834361827"},
	"platform-app revoke":       {"frontdesk --stack frontdesk platform-app revoke 122817834361827"},
	"platform-app grant":        {"frontdesk --stack frontdesk platform-app grant 122817834361827 --account 1"},
	"platform-app revoke-grant": {"frontdesk --stack frontdesk platform-app revoke-grant 122817834361827 --account 1"},

	"user": {"frontdesk --local user show --email ada@example.org"},
	"user create": {
		"frontdesk --local user create --app 122817834361827 --name Ada --email ada@example.org --generate",
	},
	"user list":          {"frontdesk --stack frontdesk user list"},
	"user show":          {"frontdesk --stack frontdesk user show --email ada@example.org"},
	"user set-email":     {"frontdesk --stack frontdesk user set-email 122817834548980 --email ada@example.net"},
	"user set-password":  {"frontdesk --stack frontdesk user set-password 122817834548980"},
	"user delete":        {"frontdesk --stack frontdesk user delete 122817834548980"},
	"user token":         {"frontdesk --stack frontdesk user token 122817834548980 --ttl 24h"},
	"user revoke-tokens": {"frontdesk --stack frontdesk user revoke-tokens 122817834548980"},

	"portal":               {"frontdesk --local portal list"},
	"portal create":        {"frontdesk --local portal create --account 1 --slug manual --name Manual --locales en,de"},
	"portal update":        {"frontdesk --stack frontdesk portal update --account 1 --slug manual --no-public"},
	"portal list":          {"frontdesk --stack frontdesk portal list"},
	"portal members":       {"frontdesk --stack frontdesk portal members --account 1 --slug manual"},
	"portal add-member":    {"frontdesk --local portal add-member --account 1 --slug manual 122817834548980"},
	"portal remove-member": {"frontdesk --local portal remove-member --account 1 --slug manual 122817834548980"},
	"portal delete":        {"frontdesk --stack frontdesk portal delete --account 1 --slug manual"},

	"table":             {"frontdesk --stack frontdesk table list-access access.ndjson"},
	"table create":      {"frontdesk --table-name frontdesk-try table create"},
	"table list-access": {"frontdesk --stack frontdesk table list-access access.ndjson"},
	"table reopen":      {"frontdesk --table-name frontdesk-restored table reopen --from frontdesk-main --dry-run"},

	"export": {"frontdesk --stack frontdesk export --account 1 account-1.ndjson"},
	"import": {
		"frontdesk --local import --dry-run account-1.ndjson",
		"frontdesk --local import account-1.ndjson --app 122817834361827=122818426487896",
	},

	"events":         {"frontdesk --stack frontdesk events redrive"},
	"events redrive": {"frontdesk --stack frontdesk events redrive --webhook-secret-file secret.txt"},

	"suppression":        {"frontdesk --stack frontdesk suppression show ada@example.org"},
	"suppression list":   {"frontdesk --stack frontdesk suppression list --reason bounce"},
	"suppression show":   {"frontdesk --stack frontdesk suppression show ada@example.org"},
	"suppression remove": {"frontdesk --stack frontdesk suppression remove ada@example.org"},

	"person":        {"frontdesk --local person show ada@example.org"},
	"person show":   {"frontdesk --stack frontdesk person show ada@example.org > ada.json"},
	"person forget": {"frontdesk --stack frontdesk person forget ada@example.org --user"},
}
