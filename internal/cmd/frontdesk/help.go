package main

import (
	"frontdesk/internal/cmd/frontdesk/client"
	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/cmd/frontdesk/events"
	"frontdesk/internal/cmd/frontdesk/operator"
	"frontdesk/internal/cmd/frontdesk/person"
	"frontdesk/internal/cmd/frontdesk/suppression"
	"frontdesk/internal/cmd/frontdesk/target"

	"github.com/alecthomas/kong"
)

// longHelp adds the help texts that are too long for a tag. They join the grammar after kong has built it, so the tags
// stay short enough to read.
func longHelp() kong.Option {
	return commandline.LongHelp(help,
		client.Help, events.Help, operator.Help, person.Help, suppression.Help, target.Help)
}

// help has the help texts of this package's commands that are too long for a tag, by the names that the tags use.
var help = map[string]string{
	"local_host": "Address to listen on: 0.0.0.0 for all of this machine's. Who reaches it can call the API.",
	"local_allowed_host": "Name by which the API and the console may be called beside localhost, such as this " +
		"machine's in its network; may be repeated. Who opens the console sees every mail and the credentials.",
	"local_parameter": "Parameter of template.yaml, such as AllowedOrigins=http://localhost:5173, in place of its " +
		"default; may be repeated. The README lists them.",
	"local_realistic": "Make the database as slow and as contended as DynamoDB: transactions that conflict, " +
		"1,000 writes a second for each partition, 2 to 15 ms a call.",
	"local_seed": "Fill the stack through its API with categories, users and a dozen mails to look at.",
	"local_ephemeral": "For the tests of others: keep all in memory, do not watch the source, and end with the " +
		"process that has started it. Without --env-file the variables are printed.",
	"local_project": "The project's folder. Default: the working one or the nearest above that has a template.yaml, " +
		"else the tool's own.",
	"local_env_file": "File that gets the stack's variables, in one step when it is ready, and is removed when it " +
		"ends. Default: demo.env in --dir.",
	"check": "Look for items of the table that contradict each other; --repair mends them.",
	"check_repair": "Make again what follows from a record, and delete what only repeats one. Everything else is " +
		"told, with what to do.",
	"check_segments": "Segments of the table that are read at the same time: more are faster, and take more of its " +
		"throughput.",
	"doctor": "Look at a deployment, its table, its alarms' topic and SES with your AWS credentials, and at what " +
		"mailboxes want of its senders: what is right, what is missing, and the command that mends it. Changes " +
		"nothing. Of the stack on this machine it looks at the table alone.",
	"local_port": "Port of API and console. Default: 3000; 3001 with --services-only, as 3000 is SAM's.",
	"services_only": "Database, outbox and console alone, for the containers of sam local start-api. " +
		"They find them on --host, on the port after --port, without a password: see internal/local/README.md.",
}
