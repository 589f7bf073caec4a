package mailkey

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/address"
	"frontdesk/internal/address/mention"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// aliasDomain is that of no mailbox (RFC 6761 section 6.4).
const aliasDomain = "@forgotten.invalid"

// What an alias stands in, beside the id of a mail.
const (
	inRecord      = "record"
	InUnsubscribe = "unsubscribe"
	InAnswer      = "answer"
)

// Alias is what stands in place of an address that was forgotten, which is given in its normal form: a digest of it
// under the key's secret, in the form of an address. Each mail has another one of the same address.
func (k Key) Alias(in, normal string) string {
	digest := hmac.New(sha256.New, k.Secret)
	fmt.Fprintf(digest, "forgotten %q %q", in, normal)
	return hex.EncodeToString(digest.Sum(nil)[:16]) + aliasDomain
}

// Aliases are what stands in place of addresses that were forgotten, by their normal forms.
type Aliases map[string]string

// Of is the alias of an address in any spelling.
func (a Aliases) Of(text string) (alias string, forgotten bool) {
	normal, err := address.Normal(text)
	if err != nil {
		return "", false
	}
	alias, forgotten = a[normal]
	return alias, forgotten
}

// Replace puts aliases in place of the addresses in a text.
func (a Aliases) Replace(text string) string {
	return mention.Replace(text, func(found string, forms []string) string {
		for _, form := range slices.Concat(forms, mention.Within(found)) {
			if alias, forgotten := a.Of(form); forgotten {
				return alias
			}
		}
		return found
	})
}

// In reports whether one of the addresses stands in a text.
func (a Aliases) In(text string) bool { return a.Replace(text) != text }

// Mentioned are the normal forms of the addresses that texts may have.
func Mentioned(texts ...string) (normals []string) {
	for _, text := range texts {
		mention.Replace(text, func(found string, forms []string) string {
			for _, form := range slices.Concat(forms, mention.Within(found)) {
				if normal, err := address.Normal(form); err == nil {
					normals = append(normals, normal)
				}
			}
			return found
		})
	}
	return normals
}

// Forgotten is the record that a person was forgotten: what comes of the mails until then brings no address back.
type Forgotten struct {
	table.Key
	Until   time.Time `dynamo:"until,unixtime"`
	NotedAt time.Time `dynamo:"noted_at,unixtime"` // for the first time
}

// Forget notes for a key that a person was forgotten, and tells since when that is noted.
func (s Keys) Forget(ctx context.Context, key id.ID, normal string, now, until time.Time) (Forgotten, error) {
	var noted Forgotten
	secret := make([]byte, secretSize)
	rand.Read(secret) // never fails: it ends the process rather than return an error
	var k secretItem
	err := s.Table.UpdateItem(table.MailKey(key)).Set("forgets", true).SetIfNotExists("secret", secret).
		If("attribute_exists(PK)").Value(ctx, &k)
	if dynamo.IsCondCheckFailed(err) {
		return noted, errNoKey(key)
	}
	if err == nil {
		err = s.Table.UpdateItem(table.Forgotten(key, k.key().Alias(inRecord, normal))).
			SetIfNotExists("noted_at", now.Unix()).Set("until", until.Unix()).Value(ctx, &noted)
	}
	if err != nil {
		return noted, fmt.Errorf("note for mail key %d who is forgotten: %w", key, err)
	}
	return noted, nil
}

// Forgettings reads who was forgotten for a key, by their aliases in the records.
func (s Keys) Forgettings(ctx context.Context, key id.ID) (map[string]Forgotten, error) {
	first, err := table.Query[Forgotten](ctx, s.Table, table.MailKey(key).PK, table.Forgettings, 0)
	if err != nil {
		return nil, err
	}
	all, err := first.All(ctx)
	if err != nil {
		return nil, err
	}
	of := map[string]Forgotten{}
	for _, f := range all {
		of[f.SK[len(table.Forgettings):]] = f
	}
	return of, nil
}

// FindForgotten finds those of up to 100 addresses, in their normal forms, that were forgotten for a key. Nothing is
// read of a key that never forgot anybody.
func (s Keys) FindForgotten(ctx context.Context, k Key, normals ...string) (map[string]Forgotten, error) {
	if !k.Forgets {
		return nil, nil
	}
	keys := make([]table.Key, len(normals))
	for i, normal := range normals {
		keys[i] = k.RecordOf(normal)
	}
	items, err := s.Table.Read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	found := map[string]Forgotten{}
	for i, normal := range normals {
		var f Forgotten
		if forgotten, err := items.Get(keys[i], &f); err != nil {
			return nil, err
		} else if forgotten {
			found[normal] = f
		}
	}
	return found, nil
}

// RecordOf is the key of the record that an address, in its normal form, was forgotten.
func (k Key) RecordOf(normal string) table.Key {
	return table.Forgotten(k.ID, k.Alias(inRecord, normal))
}

// secretItem is what of a mail key's record is good also where the rest is damaged.
type secretItem struct {
	ID      id.ID  `dynamo:"id"`
	Secret  []byte `dynamo:"secret,omitempty"`
	Forgets bool   `dynamo:"forgets,omitempty"`
}

func (i secretItem) key() Key { return Key{ID: i.ID, Secret: i.Secret, Forgets: i.Forgets} }

// Find reads a key, revoked or not: its id, its secret and whether it forgot anybody. Nothing else of it is looked at.
func (s Keys) Find(ctx context.Context, key id.ID) (k Key, found bool, err error) {
	items, err := s.Table.Read(ctx, table.MailKey(key))
	if err != nil {
		return Key{}, false, err
	}
	var item secretItem
	found, err = items.Get(table.MailKey(key), &item)
	return item.key(), found, err
}
