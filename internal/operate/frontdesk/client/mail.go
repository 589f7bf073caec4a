package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"
)

// mailGroup has the commands of frontdesk mail. Each authenticates with one mail key, and sees the mails of that
// key alone.
type mailGroup struct {
	Send mailSend `cmd:"" help:"Send a mail, and print its id." example:"frontdesk --local mail send --to ada@example.org --subject Hello --text 'Hello, Ada.'\nfrontdesk --stack frontdesk mail send --key-file key.txt --attach bill.pdf mail.json"`
	List mailList `cmd:"" help:"List the last mails of a key, the newest first." example:"frontdesk --local mail list --status bounced --day 2026-11-26"`
	Show mailShow `cmd:"" help:"Show what became of a mail." example:"frontdesk --local mail show 010001a215a1e31e-10ddccda-7535-4cb0-b6fb-4461670a371e-000000"`
}

// keyFlag is the mail key that a command uses. It is no argument, because an argument would be in the shell's
// history. A file can be readable for its owner alone, unlike the list of processes.
type keyFlag struct {
	KeyFile string `type:"path" placeholder:"FILE" help:"File with the mail key. Default: MAIL_KEY, and with --local the demo tenant's."`
}

// key returns the mail key of the file, else that of the environment or of the local stack. A line feed at the end of
// the file does not belong to it. An empty file gives an empty key, which the API refuses.
func (f keyFlag) key(stack *target.Target) (string, error) {
	if f.KeyFile == "" {
		if stack.MailKey() == "" {
			return "", commandline.Usage("no mail key: set MAIL_KEY, or give --key-file or --local")
		}
		return stack.MailKey(), nil
	}
	text, err := os.ReadFile(f.KeyFile)
	if err != nil {
		return "", fmt.Errorf("--key-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// mailSend is frontdesk mail send. A flag with sep:"none" is repeated for several values, because a display name may
// contain a comma. The tool has no limits of sizes and counts: those are the API's.
type mailSend struct {
	keyFlag
	File           string            `arg:"" optional:"" type:"path" help:"JSON object of a mail, as POST /sender.php takes it; - is standard input. Flags override its fields, and its key may be missing."`
	To             []string          `placeholder:"'NAME <A@B>'" sep:"none" help:"Recipient; may be repeated, as may those of copies."`
	Cc             []string          `placeholder:"ADDRESS" sep:"none" help:"Recipient of a copy."`
	Bcc            []string          `placeholder:"ADDRESS" sep:"none" help:"Recipient whom the others do not see."`
	Sender         string            `placeholder:"ADDRESS" help:"Sender. Default: the key's."`
	ReplyTo        []string          `placeholder:"ADDRESS" sep:"none" help:"Where replies go; may be repeated."`
	Subject        string            `placeholder:"TEXT" help:"Subject."`
	Text           string            `placeholder:"TEXT" help:"Plain text. Default: made from the HTML."`
	HTML           string            `name:"html" placeholder:"HTML" help:"HTML."`
	Attach         []string          `type:"existingfile" placeholder:"FILE" sep:"none" help:"File to attach; may be repeated."`
	Inline         []string          `type:"existingfile" placeholder:"FILE" sep:"none" help:"Picture of the HTML; may be repeated. <img src=\"cid:NAME\"> shows it, by the file's name."`
	Header         []string          `placeholder:"'NAME: VALUE'" sep:"none" help:"A further header field; may be repeated."`
	Tag            map[string]string `placeholder:"NAME=VALUE" mapsep:"none" help:"A message tag of SES, which events of the mail carry; may be repeated."`
	Separate       bool              `help:"Send each recipient a separate mail."`
	IdempotencyKey string            `placeholder:"KEY" help:"With the same key a mail is sent once, however often you run the command."`
}

// Run asks the API to send the mail. It fails if the mail was not sent, or may not have been sent.
func (c mailSend) Run(
	ctx context.Context, stack *target.Target, in io.Reader, out commandline.Output,
) error {
	// The mail comes before the key and the address of the API: a mistake in it costs no call.
	m, err := c.mail(ctx, in)
	if err != nil {
		return err
	}
	if m["key"] == nil {
		m["key"], err = c.key(stack)
		if err != nil {
			return err
		}
	}
	api, err := stack.API(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// Without --idempotency-key, a command that got no answer must not simply be repeated: the mail may have been sent.
	header := http.Header{"Content-Type": {"application/json"}}
	if c.IdempotencyKey != "" {
		header.Set("Idempotency-Key", c.IdempotencyKey)
	}
	a, err := call(ctx, stack.HTTP(), http.MethodPost, api+"/sender.php", header, body)
	if err != nil {
		return err
	}
	var result struct {
		Status, ID   string
		IDs, Warning []string
		RedirectedTo string `json:"redirected_to"`
	}
	// Every mail that was understood gets 200. Only the status in the body says whether it was sent.
	if json.Unmarshal(a.body, &result) != nil || a.status != http.StatusOK || result.Status != "success" {
		return a.refusal()
	}
	for _, warning := range result.Warning {
		out.Note("warning: %s\n", warning)
	}
	if result.RedirectedTo != "" {
		out.Note("redirected to %s\n", result.RedirectedTo)
	}
	return out.Print(json.RawMessage(a.body), func(p commandline.Printer) {
		// An answer has ids only if there are several, which is so with --separate or many recipients.
		if len(result.IDs) == 0 {
			result.IDs = []string{result.ID}
		}
		for _, id := range result.IDs {
			p.Printf("%s\n", id)
		}
	})
}

// mail returns the mail of the file, with the fields of the flags over it. Addresses and texts of flags replace those
// of the file; what [mailSend.addParts] adds joins them. Fields that the tool does not know go to the API as they
// are. No mail at all is a usage error.
func (c mailSend) mail(ctx context.Context, stdin io.Reader) (map[string]any, error) {
	m := map[string]any{}
	if c.File != "" {
		if err := readMail(ctx, c.File, stdin, &m); err != nil {
			return nil, err
		}
	}
	for field, addresses := range map[string][]string{
		"recipients": c.To, "ccs": c.Cc, "bccs": c.Bcc, "replyto": c.ReplyTo,
	} {
		var list []map[string]string
		for _, a := range addresses {
			list = append(list, parseAddress(a))
		}
		if list != nil {
			m[field] = list
		}
	}
	if c.Sender != "" {
		m["sender"] = parseAddress(c.Sender)
	}
	for field, text := range map[string]string{"subject": c.Subject, "text": c.Text, "html": c.HTML} {
		if text != "" {
			m[field] = text
		}
	}
	if err := c.addParts(m); err != nil {
		return nil, err
	}
	if len(m) == 0 {
		return nil, commandline.Usage("expected a mail: --to, --subject and --text, or a file of JSON")
	}
	return m, nil
}

// addParts adds files, header fields, tags and the switch. They join those that the mail's file has.
func (c mailSend) addParts(m map[string]any) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	headers := map[string]any{}
	for _, field := range c.Header {
		name, value, found := strings.Cut(field, ":")
		if !found {
			return commandline.Usage("--header %q is not of the form NAME: VALUE", field)
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	tags := map[string]any{}
	for name, value := range c.Tag {
		tags[name] = value
	}
	var switches []any
	if c.Separate {
		switches = []any{"separate"}
	}
	return errors.Join(extendArray(m, "attachments", files), extendObject(m, "headers", headers),
		extendObject(m, "tags", tags), extendArray(m, "config", switches))
}

// files returns the attachments that flags name. Each gets the base name of its path: recipients should not learn the
// sender's folders. A picture's name is its cid as well, by which the HTML shows it.
func (c mailSend) files() (files []any, err error) {
	for _, inline := range []bool{false, true} {
		paths := c.Attach
		if inline {
			paths = c.Inline
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			file := map[string]any{"filename": filepath.Base(path), "content": content} // JSON has bytes in base64
			if inline {
				file["cid"] = filepath.Base(path)
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// extendArray appends to an array of the mail. A field of another type is an error, because it would be lost.
func extendArray(m map[string]any, field string, more []any) error {
	if len(more) == 0 {
		// The API judges what the file has.
		return nil
	}
	array, ok := m[field].([]any)
	if m[field] != nil && !ok {
		return commandline.Usage("the file's %s must be an array, because a flag adds to it", field)
	}
	m[field] = append(array, more...)
	return nil
}

// extendObject sets fields of an object of the mail. A field of another type is an error, because it would be lost.
func extendObject(m map[string]any, field string, more map[string]any) error {
	if len(more) == 0 {
		// The API judges what the file has.
		return nil
	}
	object, ok := m[field].(map[string]any)
	if m[field] != nil && !ok {
		return commandline.Usage("the file's %s must be an object, because a flag adds to it", field)
	}
	if object == nil {
		object = map[string]any{}
	}
	maps.Copy(object, more)
	m[field] = object
	return nil
}

// readMail reads the JSON of a mail from a file, or from standard input if the path is -. It refuses a second value
// behind the first, which nobody would send, and null, which Decode would take for an empty mail.
func readMail(ctx context.Context, path string, stdin io.Reader, into *map[string]any) error {
	name, from := path, stdin
	if path == "-" {
		name = "standard input"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	decoder := json.NewDecoder(commandline.Text(ctx, from))
	err := decoder.Decode(into)
	_, isOther := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s is empty: it must be one JSON object of a mail", name)
	case isOther, err == nil && *into == nil:
		return fmt.Errorf("%s is not one JSON object of a mail, but another value", name)
	case err != nil:
		return fmt.Errorf("%s is not one JSON object of a mail: %w", name, err)
	}
	// More would be false before a bracket that closes nothing.
	_, err = decoder.Token()
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is not one JSON object of a mail: there is more behind it", name)
	}
	return nil
}

// parseAddress splits an address, a@b or Name <a@b>. It passes on anything else, for the API to refuse. The tool has
// no rules of its own for addresses: the API's error names the field and the rule.
func parseAddress(s string) map[string]string {
	a, err := mail.ParseAddress(s)
	if err != nil {
		return map[string]string{"email": s}
	}
	return map[string]string{"email": a.Address, "name": a.Name}
}

// mailList is frontdesk mail list. Empty fields do not filter.
type mailList struct {
	keyFlag
	Limit     int    `default:"20" placeholder:"N" help:"How many, at most 100."`
	Day       string `placeholder:"YYYY-MM-DD" help:"Those that were sent on this day, in UTC."`
	Status    string `placeholder:"STATUS" values:"sent,delayed,delivered,bounced,complained,rejected,suppressed" help:"Those of this status, such as bounced."`
	Recipient string `placeholder:"ADDRESS" help:"Those to this address."`
}

// Run reads the mail log, as much as one answer holds. With --json it prints the mails unchanged, so fields that this
// version of the tool does not know are there, too.
func (c mailList) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	key, err := c.key(stack)
	if err != nil {
		return err
	}
	api, err := stack.API(ctx)
	if err != nil {
		return err
	}
	var page struct{ Payload []json.RawMessage }
	header := http.Header{"api_access_token": {key}}
	query := url.Values{"limit": {strconv.Itoa(c.Limit)}}
	for name, value := range map[string]string{"day": c.Day, "status": c.Status, "recipient": c.Recipient} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if err := get(ctx, stack.HTTP(), api+"/mails?"+query.Encode(), header, &page); err != nil {
		return err
	}
	list := []listedMail{}
	for _, raw := range page.Payload {
		var m loggedMail
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		list = append(list, listedMail{
			RawMessage: raw, SentAt: m.SentAt, Status: m.Status, To: m.to(), Subject: m.Subject, ID: m.ID,
		})
	}
	return out.Show(list)
}

// listedMail is a line of the list. As JSON it is what the API has told.
type listedMail struct {
	json.RawMessage
	SentAt  time.Time `show:"sent"`
	Status  string    `show:"status"`
	To      string    `show:"to"`
	Subject string    `show:"subject"`
	ID      string    `show:"id"`
}

// to returns the first recipient, and how many more there are.
func (m loggedMail) to() string {
	switch len(m.Recipients) {
	case 0:
		return ""
	case 1:
		return m.Recipients[0].Email
	}
	return fmt.Sprintf("%s and %d more", m.Recipients[0].Email, len(m.Recipients)-1)
}

// mailShow is frontdesk mail show. With a separate mail for each recipient, each has an id of its own.
type mailShow struct {
	keyFlag
	ID string `arg:"" help:"The mail's id, as sending printed it."`
}

// Run reads the mail log.
func (c mailShow) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	key, err := c.key(stack)
	if err != nil {
		return err
	}
	api, err := stack.API(ctx)
	if err != nil {
		return err
	}
	var answer struct{ Payload json.RawMessage }
	header := http.Header{"api_access_token": {key}}
	if err := get(ctx, stack.HTTP(), api+"/mails/"+url.PathEscape(c.ID), header, &answer); err != nil {
		return err
	}
	shown := struct {
		json.RawMessage // as JSON it is what the API has told
		loggedMail
	}{RawMessage: answer.Payload}
	if err := json.Unmarshal(answer.Payload, &shown.loggedMail); err != nil {
		return err
	}
	return out.Show(shown)
}

// loggedMail is what the API tells about a mail. It has only what the tool prints for people: the mail's fields, the
// status of each recipient, and its events.
type loggedMail struct {
	ID         string     `show:"id"`
	Status     string     `show:"status"`
	From       string     `show:"from"`
	Subject    string     `show:"subject"`
	SentAt     time.Time  `show:"sent" json:"sent_at"`
	Redirected redirected `show:"redirected"`
	Recipients []struct {
		Email  string `show:"email"`
		Status string `show:"status"`
		Detail string `show:"detail"`
	} `show:"to"`
	MoreEvents moreEvents `show:"event" json:"more_events"`
	Events     []struct {
		At         time.Time `show:"at"`
		Type       string    `show:"type"`
		Recipients []string  `show:"to"`
	} `show:"event"`
}

// redirected says that a mail did not go to its recipients.
type redirected bool

func (r redirected) String() string {
	if r {
		return "to these in place of its recipients"
	}
	return ""
}

// moreEvents says that there are earlier events than those of the answer.
type moreEvents bool

func (m moreEvents) String() string {
	if m {
		return "there are earlier events"
	}
	return ""
}
