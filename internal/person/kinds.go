package person

import (
	"context"
	"fmt"
	"strings"

	"frontdesk/internal/id"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/maillog"
	"frontdesk/internal/mail/unsubscribe"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// kind says what happens to an address that is forgotten in items of one kind.
type kind struct {
	// erase takes the address out of an item. It is nil when nothing is taken out.
	erase func(context.Context, *erasure, dynamo.Item) (changed bool, err error)
	// stays says what else may have the address and why it stays. "" means that nothing else can have it.
	stays string
}

const (
	ofUser   = "it is the user's: --user deletes the user"
	byOthers = "others wrote it: let them change it"
)

// kinds has every kind of item in the table. Whoever adds a kind decides here what happens to an address in it; a test
// wants the decision.
var kinds = map[string]kind{
	"mail key":           {erase: eraseMailKey, stays: "the key sends as it, or is redirected to it: revoke the key"},
	"forgotten person":   {}, // an alias
	"idempotency record": {erase: ofMailKey(eraseAnswer)},
	"day of a mail key":  {}, // numbers and random names
	"event of a mail":    {erase: eraseEvent},
	"mail in a log":      {erase: ofMailKey(eraseEntry)},
	"unsubscribe":        {erase: ofMailKey(eraseUnsubscribe)},
	"platform app":       {erase: eraseName, stays: "its login address has it: give the app another one"},
	"grant":              {}, // ids
	"permissible link":   {}, // ids
	"linked app":         {}, // ids
	"user":               {stays: ofUser + "; or it is another user's, in what an app wrote: let the app change it"},
	"agent token":        {}, // a digest of the token, and times
	"unanswered login":   {}, // likewise
	"login token":        {}, // likewise
	"e-mail owner":       {stays: ofUser},
	"sign-in attempts":   {erase: eraseAttempts},
	"portal":             {erase: eraseName, stays: byOthers},
	"member":             {}, // ids
	"membership":         {}, // ids
	"category":           {stays: byOthers},
	"slug owner":         {stays: byOthers},
	"index item":         {}, // ids
	"reopening":          {stays: "it is the name of a list: reopen the table again from another file"},
	"layout":             {}, // a number
	table.Entry:          {}, // ids and slugs
	table.Unknown:        {stays: "nobody knows what it is"},
}

// ofMailKey makes an erase function for items of a mail key. The second part of their partition key names the mail key.
func ofMailKey(
	erase func(context.Context, *erasure, dynamo.Item, mailkey.Key) (bool, error),
) func(context.Context, *erasure, dynamo.Item) (bool, error) {
	return func(ctx context.Context, e *erasure, item dynamo.Item) (bool, error) {
		_, rest, _ := strings.Cut(table.KeyOf(item).PK, "#")
		of, _, _ := strings.Cut(rest, "#")
		// Without the mail key's secret there is no alias. [Forget] reports the item as left.
		key, found := e.keys[of]
		if !found {
			return false, nil
		}
		return erase(ctx, e, item, key)
	}
}

// eraseEvent is for the events of mails. Their key does not name the mail key; an attribute does.
func eraseEvent(ctx context.Context, e *erasure, item dynamo.Item) (bool, error) {
	var of struct {
		MailKey id.ID `dynamo:"mail_key"`
	}
	if err := table.Decode(item, &of); err != nil {
		return false, err
	}
	key, found := e.keys[of.MailKey.Key()]
	if !found {
		return false, nil
	}
	return maillog.ForgetEvent(ctx, e.table, item, e.ofMails(key))
}

func eraseEntry(ctx context.Context, e *erasure, item dynamo.Item, key mailkey.Key) (bool, error) {
	return maillog.ForgetEntry(ctx, e.table, item, e.ofMails(key))
}

// ofMails returns which addresses were forgotten in the mails of a key, with their aliases.
func (e *erasure) ofMails(key mailkey.Key) maillog.Forgotten {
	return func(mail, normal string) (string, bool) {
		if !e.forgotten(key, normal) {
			return "", false
		}
		// Each mail has its own alias, so nobody can connect the mails of one person.
		return key.Alias(mail, normal), true
	}
}

func eraseUnsubscribe(ctx context.Context, e *erasure, item dynamo.Item, key mailkey.Key) (bool, error) {
	return unsubscribe.Forget(ctx, e.table, item, key, func(normal string) bool { return e.forgotten(key, normal) })
}

func eraseAnswer(ctx context.Context, e *erasure, item dynamo.Item, key mailkey.Key) (bool, error) {
	return delivery.Forget(ctx, e.table, item, func(answer string) string {
		aliases := mailkey.Aliases{}
		for _, normal := range mailkey.Mentioned(answer) {
			if e.forgotten(key, normal) {
				aliases[normal] = key.Alias(mailkey.InAnswer, normal)
			}
		}
		return aliases.Replace(answer)
	})
}

func eraseMailKey(ctx context.Context, e *erasure, item dynamo.Item) (bool, error) {
	named, err := eraseName(ctx, e, item)
	if err != nil {
		return named, err
	}
	changed, err := mailkey.ForgetIn(ctx, e.table, item, e.in)
	return named || changed, err
}

// eraseName replaces an address in the name that an operator has given to something. If the operator changes the name
// meanwhile, it reads the name again.
func eraseName(ctx context.Context, e *erasure, item dynamo.Item) (bool, error) {
	k := table.KeyOf(item)
	for {
		name, isText := item["name"].(*types.AttributeValueMemberS)
		if !isText {
			return false, nil
		}
		aliases := mailkey.Aliases{}
		for _, normal := range mailkey.Mentioned(name.Value) {
			if e.anywhere(normal) {
				aliases[normal] = "[forgotten]"
			}
		}
		if len(aliases) == 0 {
			return false, nil
		}
		err := e.table.UpdateItem(k).Set("name", aliases.Replace(name.Value)).If("$ = ?", "name", name.Value).Run(ctx)
		if err == nil {
			return true, nil
		}
		if !dynamo.IsCondCheckFailed(err) {
			return false, fmt.Errorf("forget in the name of a %s: %w", k.Kind(), err)
		}
		items, err := e.table.Read(ctx, k)
		if err != nil {
			return false, err
		}
		item = items[k] // without a name if it is gone
	}
}

// eraseAttempts deletes the count of failed sign-ins, which would end within 15 minutes anyway.
func eraseAttempts(ctx context.Context, e *erasure, item dynamo.Item) (bool, error) {
	k := table.KeyOf(item)
	if !e.anywhere(strings.TrimPrefix(k.PK, table.Attempts)) {
		return false, nil
	}
	_, err := e.table.DeleteAll(ctx, k)
	return err == nil, err
}
