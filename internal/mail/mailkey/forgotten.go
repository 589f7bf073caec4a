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

// aliasDomain can have no mailbox: the top-level domain .invalid is reserved (RFC 6761 section 6.4).
const aliasDomain = "@forgotten.invalid"

// The place in which an alias stands is part of its digest, so that aliases in different places cannot be linked. In
// the log of mails the place is the id of the mail.
const (
	inRecord      = "record"
	InUnsubscribe = "unsubscribe"
	InAnswer      = "answer"
)

// Alias returns what replaces a forgotten address, which is given in its normal form. It looks like an address and has
// an HMAC-SHA-256 of it under the key's secret, cut to 128 bits. One address has different aliases in different mails.
func (k Key) Alias(in, normal string) string {
	digest := hmac.New(sha256.New, k.Secret)
	fmt.Fprintf(digest, "forgotten %q %q", in, normal)
	return hex.EncodeToString(digest.Sum(nil)[:16]) + aliasDomain
}

// Aliases maps the normal forms of forgotten addresses to their aliases.
type Aliases map[string]string

// Of returns the alias of an address, however it is spelled.
func (a Aliases) Of(text string) (alias string, forgotten bool) {
	normal, err := address.Normal(text)
	if err != nil {
		return "", false
	}
	alias, forgotten = a[normal]
	return alias, forgotten
}

// Replace replaces the addresses in a text by their aliases.
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

// Mentioned returns the normal forms of everything in the texts that could be an address.
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

// Forgotten is the record that a person was forgotten. What still arrives about mails sent until then must not bring
// the address back.
type Forgotten struct {
	table.Key
	Until   time.Time `dynamo:"until,unixtime"`
	NotedAt time.Time `dynamo:"noted_at,unixtime"` // when it was first recorded
}

// Forget records, for a key, that a person was forgotten, and returns the record. Forgetting again moves Until and
// keeps NotedAt. A key from before secrets gets one, because aliases need it.
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

// Forgettings reads who was forgotten for a key, by the alias in each record.
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

// FindForgotten finds which of up to 100 addresses, in their normal forms, were forgotten for a key. For a key that
// never forgot anybody it reads nothing: almost no request pays for the feature.
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

// RecordOf is the key of the record for a forgotten address, which is given in its normal form.
func (k Key) RecordOf(normal string) table.Key {
	return table.Forgotten(k.ID, k.Alias(inRecord, normal))
}

// secretItem is the part of a mail key's record that can be read even if the rest is damaged.
type secretItem struct {
	ID      id.ID  `dynamo:"id"`
	Secret  []byte `dynamo:"secret,omitempty"`
	Forgets bool   `dynamo:"forgets,omitempty"`
}

func (i secretItem) key() Key { return Key{ID: i.ID, Secret: i.Secret, Forgets: i.Forgets} }

// Find reads a key, even a revoked one: its id, its secret and whether it forgot anybody. It ignores the rest.
func (s Keys) Find(ctx context.Context, key id.ID) (k Key, found bool, err error) {
	items, err := s.Table.Read(ctx, table.MailKey(key))
	if err != nil {
		return Key{}, false, err
	}
	var item secretItem
	found, err = items.Get(table.MailKey(key), &item)
	return item.key(), found, err
}
