package operator

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/unsubscribe"
)

// unsubscribesGroup has the commands of frontdesk unsubscribes. Each is about one mail key, because two keys may have
// lists of the same name that have nothing to do with each other.
type unsubscribesGroup struct {
	List   unsubscribesList   `cmd:"" help:"List who has unsubscribed." example:"frontdesk --stack frontdesk unsubscribes list 122817834361826 --list news"`
	Add    unsubscribesAdd    `cmd:"" help:"Stop the mails of a list to an address. No link in a mail takes that back." example:"frontdesk --stack frontdesk unsubscribes add 122817834361826 ada@example.org --list news"`
	Remove unsubscribesRemove `cmd:"" help:"Let an address get the mails of a list again." example:"frontdesk --stack frontdesk unsubscribes remove 122817834361826 ada@example.org"`
	Import unsubscribesImport `cmd:"" help:"Add the addresses on standard input: one on each line, or the output of export. --list is for lines without a list." example:"frontdesk --stack frontdesk unsubscribes import 122817834361826 < unsubscribed.csv"`
	Export unsubscribesExport `cmd:"" help:"Print the unsubscribes as CSV: email, list, by and at. A new key begins without any: import those of the old key." example:"frontdesk --stack frontdesk unsubscribes export 122817834361826 > unsubscribed.csv"`
}

// listArg is a mail key, and the list of it that a command is for. Without --list it is the list "" of the mails that
// name none; list and export then mean all lists.
type listArg struct {
	Key  string `arg:"" help:"The mail key's id, as mail-key list shows it."`
	List string `placeholder:"NAME" help:"The list. Default: that of mails that name none; for list and export, all lists."`
	id   id.ID  // of the mail key, parsed
}

// AfterApply parses the id, and checks the name of the list. The list is checked before the key, and neither needs
// a call.
func (a *listArg) AfterApply() (err error) {
	if a.List != "" {
		if err := unsubscribe.CheckList(a.List); err != nil {
			return commandline.Usage("--list %s", err)
		}
	}
	a.id, err = parseID(a.Key, "mail-key")
	return err
}

// store returns the store of unsubscribes, and an error if the key does not exist. A revoked key exists: its
// unsubscribes can still be exported for the key that replaces it.
func (a listArg) store(ctx context.Context, t table.Table) (unsubscribe.Store, error) {
	_, exists, err := mailkey.Keys{Table: t}.Find(ctx, a.id)
	if err == nil && !exists {
		err = fmt.Errorf("there is no mail key %d", a.id)
	}
	return unsubscribe.Store{Table: t}, err
}

// subscription returns the subscription of an address to the list. Addresses are compared in their normal form, so
// every spelling of one finds the same item.
func (a listArg) subscription(email string) (unsubscribe.Subscription, error) {
	normal, err := address.Normal(email)
	if err != nil {
		return unsubscribe.Subscription{}, fmt.Errorf("the address %w", err)
	}
	return unsubscribe.Subscription{MailKey: a.id, List: a.List, Recipient: normal}, nil
}

// unsubscribesList is frontdesk unsubscribes list. Since is in a form that [unsubscribe.ParseSince] reads, or "" for
// no limit.
type unsubscribesList struct {
	listArg
	Since string `placeholder:"TIME" help:"Those from this time or day (UTC) on."`
}

// find returns the unsubscribes that the flags select. Without a list these are those of all lists of the key.
func (c unsubscribesList) find(ctx context.Context, t table.Table) ([]unsubscribe.Unsubscribe, error) {
	since, err := unsubscribe.ParseSince(c.Since)
	if err != nil {
		return nil, commandline.Usage("--%s", err)
	}
	store, err := c.store(ctx, t)
	if err != nil {
		return nil, err
	}
	return store.All(ctx, c.id, unsubscribe.Query{List: c.List, Since: since})
}

// Run prints who made each unsubscribe: the recipient by a link, or an operator. Times are in UTC.
func (c unsubscribesList) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	found, err := c.find(ctx, t)
	if err != nil {
		return err
	}
	return out.Show(found)
}

// change is the address and the list that a command changes.
type change struct {
	listArg
	Email string `arg:"" help:"The address."`
}

// find returns the store of unsubscribes and the subscription that the command changes.
func (c change) find(ctx context.Context, t table.Table) (unsubscribe.Store, unsubscribe.Subscription, error) {
	store, err := c.store(ctx, t)
	if err != nil {
		return store, unsubscribe.Subscription{}, err
	}
	sub, err := c.subscription(c.Email)
	return store, sub, err
}

// print reports what changed, if anything did. A change that was made already is no error, and changed is false then:
// a script can repeat the command.
func (c change) print(out commandline.Output, unsubscribed, changed bool, outcome string) error {
	result := struct {
		Email        string `json:"email"`
		List         string `json:"list"`
		Unsubscribed bool   `json:"unsubscribed"`
		Changed      bool   `json:"changed"`
	}{Email: c.Email, List: c.List, Unsubscribed: unsubscribed, Changed: changed}
	if !changed {
		outcome = "is as it was"
	}
	return out.Report(result, "%s %s", c.Email, outcome)
}

// unsubscribesAdd is frontdesk unsubscribes add, for recipients who ask by other means than the link in a mail.
type unsubscribesAdd struct{ change }

// Run asks nothing: it only stops mails. Where the recipient has left the list by a link, the unsubscribe becomes the
// operator's, so no link takes it back any more. That counts as a change.
func (c unsubscribesAdd) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	store, sub, err := c.find(ctx, t)
	if err != nil {
		return err
	}
	added, err := store.Add(ctx, sub)
	if err != nil {
		return err
	}
	return c.print(out, true, added, "gets no more of these mails")
}

// unsubscribesRemove is frontdesk unsubscribes remove. unsubscribesRemove is frontdesk unsubscribes remove. Nothing
// else ends an unsubscribe that an operator has made: no link does.
type unsubscribesRemove struct {
	change
	commandline.Asking
}

// Run asks first: whoever has unsubscribed gets mails again.
func (c unsubscribesRemove) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	store, sub, err := c.find(ctx, t)
	if err != nil {
		return err
	}
	if err := c.Confirm(ctx, out, "send these mails to %s again?", sub.Recipient); err != nil {
		return err
	}
	removed, err := store.Remove(ctx, sub)
	if err != nil {
		return err
	}
	return c.print(out, false, removed, "gets these mails again")
}

// unsubscribesImport is frontdesk unsubscribes import, which reads standard input.
type unsubscribesImport struct{ listArg }

// Run reads the whole input before it adds any address: a line without a valid address stops it. After an error of
// the table, some are added and some are not, in no order. The error says how many, and the same input can be
// imported again: what is there already is not added twice.
func (c unsubscribesImport) Run(ctx context.Context, t table.Table, in io.Reader, out commandline.Output) error {
	store, err := c.store(ctx, t)
	if err != nil {
		return err
	}
	all, err := c.read(ctx, in)
	if err != nil {
		return err
	}
	added, err := store.AddAll(ctx, all)
	if err != nil {
		return fmt.Errorf("added %d of %d: %w", added, len(all), err)
	}
	result := struct {
		Read  int `json:"read"`
		Added int `json:"added"`
	}{len(all), added}
	return out.Report(result, "added %d of %d; the others were there already", added, len(all))
}

// read reads what export writes, or lines that have only an address. The flag --list is only for such lines: a
// recipient who has left one list does not leave another. It ignores further columns: what is imported counts as the
// operator's, as of now. An error names the line, counted from 1.
func (c unsubscribesImport) read(ctx context.Context, in io.Reader) (all []unsubscribe.Subscription, err error) {
	records := csv.NewReader(commandline.Text(ctx, in))
	// Lines may have one field or several, so the reader must not hold them to the first line's number.
	records.FieldsPerRecord, records.TrimLeadingSpace = -1, true
	for {
		record, err := records.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := records.FieldPos(0)
		// The head of an export is no address.
		if len(all) == 0 && record[0] == columns[0] {
			continue
		}
		sub, err := c.subscription(strings.TrimSpace(record[0]))
		if err == nil && len(record) > 1 {
			sub.List, err = c.listOf(record[1])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		all = append(all, sub)
	}
}

// listOf returns the list that a line names, "" for none. A list that contradicts --list is an error: to take either
// one would stop mails of a list that the recipient has not left.
func (c unsubscribesImport) listOf(name string) (string, error) {
	if c.List != "" && c.List != name {
		return "", fmt.Errorf("the line is of the list %q: --list %s is only for addresses", name, c.List)
	}
	if name == "" {
		return "", nil
	}
	return name, unsubscribe.CheckList(name)
}

// columns are the columns of an export. The first one also marks a head line of an import.
var columns = []string{"email", "list", "by", "at"}

// unsubscribesExport is frontdesk unsubscribes export, with the flags of list.
type unsubscribesExport struct{ unsubscribesList }

// Run prints CSV as in RFC 4180, but with line feeds alone, as other tools of a shell expect them.
func (c unsubscribesExport) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	found, err := c.find(ctx, t)
	if err != nil {
		return err
	}
	return out.Print(found, func(p commandline.Printer) {
		p.Printf("%s\n", strings.Join(columns, ","))
		for _, u := range found { // no value contains a comma or a quotation mark
			p.Printf("%s,%s,%s,%s\n", u.Email, u.List, u.By, u.At.Format(time.RFC3339))
		}
	})
}
