package table

// This file is for operators: no endpoint calls it.

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Privacy is what is personal in an item: the part of a [ItemKind] for person show and person forget.
type Privacy struct {
	// Forget takes a person's address out of an item, or deletes the item. It reports whether it has changed anything.
	// It is nil if nothing is taken out.
	Forget func(context.Context, Table, Stored, Person) (changed bool, err error)
	// Retained says why an address may stay in an item, and what an operator does about it. "" means that none stays.
	Retained string
	// Secrets names the attributes that no operator sees, besides those that are bytes. SecretKey is set if the sort
	// key has the digest of a secret.
	Secrets   []string
	SecretKey bool
}

// Person is whom a forgetting is about, by the e-mail address.
type Person struct {
	Address string // in its normal form
	// NamedIn reports whether a text has the address, in any spelling. Redact puts [forgotten] in its place.
	NamedIn func(text string) bool
	Redact  func(text string) string

	Unsubscribes bool // unsubscribes go, too: mails may begin again
}

// ForgetIn returns the function [Privacy.Forget] that takes an address out of an attribute that is a text. If somebody
// changes the text meanwhile, it reads the text again.
func ForgetIn(attribute string) func(context.Context, Table, Stored, Person) (changed bool, err error) {
	return func(ctx context.Context, t Table, s Stored, p Person) (changed bool, err error) {
		for item := s.Raw; ; {
			text, isText := item[attribute].(*types.AttributeValueMemberS)
			if !isText || !p.NamedIn(text.Value) {
				return false, nil
			}
			update := t.UpdateItem(s.Key).Set(attribute, p.Redact(text.Value)).If("$ = ?", attribute, text.Value)
			err := update.Run(ctx)
			if err == nil {
				return true, nil
			}
			if !dynamo.IsCondCheckFailed(err) {
				return false, fmt.Errorf("forget in the %s of a %s: %w", attribute, s.Key.Kind(), err)
			}
			items, err := t.Read(ctx, s.Key)
			if err != nil {
				return false, err
			}
			item = items[s.Key] // without a text if it is gone
		}
	}
}
