package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"strings"
	"time"

	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/cmd/frontdesk/target"
)

type mailGroup struct {
	Send mailSend `cmd:"" help:"Send a mail, and print its id."`
	Show mailShow `cmd:"" help:"Show what became of a mail."`
}

// keyFlag is the mail key that a command uses. It is no argument: that would be in the shell's history.
type keyFlag struct {
	KeyFile string `type:"path" placeholder:"FILE" help:"${mail_key_file}"`
}

func (f keyFlag) key(on *target.Target) (string, error) {
	if f.KeyFile == "" {
		if on.MailKey() == "" {
			return "", commandline.Usage("no mail key: set MAIL_KEY, or give --key-file or --local")
		}
		return on.MailKey(), nil
	}
	text, err := os.ReadFile(f.KeyFile)
	if err != nil {
		return "", fmt.Errorf("--key-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

type mailSend struct {
	keyFlag
	File           string   `arg:"" optional:"" type:"path" help:"${mail_file}"`
	To             []string `placeholder:"'NAME <A@B>'" sep:"none" help:"Recipient; may be repeated, as the next two."`
	Cc             []string `placeholder:"ADDRESS" sep:"none" help:"Recipient of a copy."`
	Bcc            []string `placeholder:"ADDRESS" sep:"none" help:"Recipient whom the others do not see."`
	Sender         string   `placeholder:"ADDRESS" help:"Sender. Default: the key's."`
	Subject        string   `placeholder:"TEXT" help:"Subject."`
	Text           string   `placeholder:"TEXT" help:"Plain text. Default: made of the HTML."`
	HTML           string   `name:"html" placeholder:"HTML" help:"HTML."`
	IdempotencyKey string   `placeholder:"KEY" help:"${mail_idempotency}"`
}

// Run asks the API to send the mail. It fails when the mail is not sent, or perhaps not.
func (c mailSend) Run(
	ctx context.Context, on *target.Target, in io.Reader, out commandline.Output,
) error {
	m, err := c.mail(in)
	if err != nil {
		return err
	}
	if m["key"] == nil {
		m["key"], err = c.key(on)
		if err != nil {
			return err
		}
	}
	api, err := on.API(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if c.IdempotencyKey != "" {
		header.Set("Idempotency-Key", c.IdempotencyKey)
	}
	a, err := call(ctx, http.MethodPost, api+"/sender.php", header, body)
	if err != nil {
		return err
	}
	var told struct {
		Status, ID   string
		IDs, Warning []string
		RedirectedTo string `json:"redirected_to"`
	}
	if json.Unmarshal(a.body, &told) != nil || a.status != http.StatusOK || told.Status != "success" {
		return a.refusal()
	}
	for _, warning := range told.Warning {
		out.Note("warning: %s\n", warning)
	}
	if told.RedirectedTo != "" {
		out.Note("redirected to %s\n", told.RedirectedTo)
	}
	return out.Print(json.RawMessage(a.body), func(p commandline.Printer) {
		if len(told.IDs) == 0 {
			told.IDs = []string{told.ID}
		}
		for _, id := range told.IDs {
			p.Printf("%s\n", id)
		}
	})
}

// mail is the file's, with what the flags say.
func (c mailSend) mail(stdin io.Reader) (map[string]any, error) {
	m := map[string]any{}
	if c.File != "" {
		if err := readMail(c.File, stdin, &m); err != nil {
			return nil, err
		}
	}
	for field, addresses := range map[string][]string{"recipients": c.To, "ccs": c.Cc, "bccs": c.Bcc} {
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
	if len(m) == 0 {
		return nil, commandline.Usage("expected a mail: --to, --subject and --text, or a file of JSON")
	}
	return m, nil
}

func readMail(path string, stdin io.Reader, into *map[string]any) error {
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
	if err := json.NewDecoder(from).Decode(into); err != nil || *into == nil {
		return fmt.Errorf("%s is not one JSON object of a mail: %w", name, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// parseAddress takes a@b and Name <a@b> apart. What is neither is left for the API to refuse.
func parseAddress(s string) map[string]string {
	a, err := mail.ParseAddress(s)
	if err != nil {
		return map[string]string{"email": s}
	}
	return map[string]string{"email": a.Address, "name": a.Name}
}

type mailShow struct {
	keyFlag
	ID string `arg:"" help:"The mail's id, as sending printed it."`
}

// Run reads the mail log.
func (c mailShow) Run(ctx context.Context, on *target.Target, out commandline.Output) error {
	key, err := c.key(on)
	if err != nil {
		return err
	}
	api, err := on.API(ctx)
	if err != nil {
		return err
	}
	var told struct{ Payload json.RawMessage }
	header := http.Header{"api_access_token": {key}}
	if err := get(ctx, api+"/mails/"+url.PathEscape(c.ID), header, &told); err != nil {
		return err
	}
	var m shownMail
	if err := json.Unmarshal(told.Payload, &m); err != nil {
		return err
	}
	return out.Print(told.Payload, m.print)
}

// shownMail is what the API tells of a mail.
type shownMail struct {
	ID, Status, From, Subject string
	SentAt                    time.Time `json:"sent_at"`
	Recipients                []struct{ Email, Status, Detail string }
	Redirected                bool
	Events                    []struct {
		Type, Detail string
		At           time.Time
		Recipients   []string
	}
	MoreEvents bool `json:"more_events"` // before those
}

func (m shownMail) print(p commandline.Printer) {
	p.Row("id", m.ID)
	p.Row("status", m.Status)
	p.Row("from", m.From)
	p.Row("subject", m.Subject)
	p.Row("sent", m.SentAt.Format(time.RFC3339))
	if m.Redirected {
		p.Row("redirected", "to these in place of its recipients")
	}
	for _, r := range m.Recipients {
		p.Row("to", r.Email, r.Status, r.Detail)
	}
	if m.MoreEvents {
		p.Row("event", "there are earlier events")
	}
	for _, e := range m.Events {
		p.Row("event", e.At.Format(time.RFC3339), e.Type, strings.Join(e.Recipients, " "))
	}
}
