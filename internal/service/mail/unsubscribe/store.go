// Package unsubscribe lets recipients leave the lists of a mail key by one click (RFC 8058). It has the link in each
// mail, the page behind it, and the record of who has left which list. The endpoint that sends mail asks
// [Store.Unsubscribed]; no other package reads or writes the items.
//
//	UNSUBSCRIBED#<mail key> / LIST#<list>#<recipient>
//
// One item is one recipient who has left one list. A link can delete only what a link has made. An operator can delete
// any item.
//
// Add, AddAll, Remove, All and Import of [Store] are for operators: no endpoint calls them.
package unsubscribe

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/mailkey"

	"github.com/guregu/dynamo/v2"
)

// Store records who has left which list.
type Store struct{ Table table.Table }

// By says who made an unsubscribe.
type By string

// An unsubscribe comes from a link in a mail, or from an operator.
const (
	ByLink     By = "link"
	ByOperator By = "operator"
)

// Unsubscribe records that a recipient has left a list.
type Unsubscribe struct {
	Email string    `json:"email" show:"email"` // in its normal form
	List  string    `json:"list" show:"list"`
	By    By        `json:"by" show:"by"`
	At    time.Time `json:"at" show:"at"`
}

// item is a stored unsubscribe.
type item struct {
	table.Key
	MailKey id.ID     `dynamo:"mail_key"`
	List    string    `dynamo:"list,omitempty"`
	Email   string    `dynamo:"email"`
	By      By        `dynamo:"by"`
	At      time.Time `dynamo:"at"`
}

func (i item) unsubscribe() Unsubscribe {
	return Unsubscribe{Email: i.Email, List: i.List, By: i.By, At: i.At}
}

// Decode reads a stored item, and returns its unsubscribe and its mail key.
func Decode(raw dynamo.Item) (mailKey id.ID, u Unsubscribe, err error) {
	var i item
	err = table.Decode(raw, &i)
	return i.MailKey, i.unsubscribe(), err
}

// key is the key of the item that ends the subscription.
func (s Subscription) key() table.Key { return table.Unsubscribed(s.MailKey, s.List, s.Recipient) }

// Unsubscribed returns the indices of those addresses that have left a list of a mail key. It reads one item for each
// address, 100 in each call, and all calls run in parallel.
func (s Store) Unsubscribed(
	ctx context.Context, key mailkey.Key, list string, addresses []string,
) (unsubscribed []int, err error) {
	keys := make([]table.Key, len(addresses))
	indices := map[table.Key]int{}
	for i, to := range addresses {
		keys[i] = Subscription{MailKey: key.ID, List: list, Recipient: address.Fold(to)}.key()
		indices[keys[i]] = i
	}
	var mu sync.Mutex
	found := map[table.Key]bool{}
	group, reading := api.NewGroupContext(ctx)
	for some := range slices.Chunk(keys, table.MaxItems) {
		group.Go(func() error {
			items, err := s.Table.Read(reading, some...)
			mu.Lock()
			defer mu.Unlock()
			for key := range items {
				found[key] = true
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for k := range found {
		unsubscribed = append(unsubscribed, indices[k])
	}
	slices.Sort(unsubscribed)
	return unsubscribed, nil
}

// errKept means that the stored unsubscribe stays as it is.
var errKept = errors.New("it is there")

// applied runs a transaction. It reports false if errKept says that there was nothing to do. After an attempt without
// an answer, errKept proves nothing, because people leave and return: then the error is [table.ErrUnknown].
func applied(ctx context.Context, tx *table.Tx) (bool, error) {
	err := tx.Run(ctx)
	if err == errKept {
		return false, nil
	}
	return err == nil, err
}

// put stores an unsubscribe. It keeps an existing one and reports false, unless an operator's may replace what a link
// has made.
func (s Store) put(
	ctx context.Context, sub Subscription, by By, at time.Time, replaceLink bool,
) (stored bool, err error) {
	put := s.Table.Put(item{
		Key: sub.key(), MailKey: sub.MailKey, List: sub.List, Email: sub.Recipient, By: by,
		At: at.UTC().Truncate(time.Second),
	})
	if replaceLink {
		put.If("attribute_not_exists(PK) OR $ = ?", "by", ByLink)
	} else {
		put.If("attribute_not_exists(PK)")
	}
	tx := s.Table.Tx() // DynamoDB knows a repeated transaction, so a retry does not undo a later change
	tx.Put(put, errKept)
	return applied(ctx, tx)
}

// leave records that a recipient has left a list by a link. An existing record stays, and with it its time.
func (s Store) leave(ctx context.Context, sub Subscription) error {
	_, err := s.put(ctx, sub, ByLink, time.Now(), false)
	return err
}

// comeBack deletes an unsubscribe that a link has made, if there is one. It reports false if an operator has made it.
func (s Store) comeBack(ctx context.Context, sub Subscription) (back bool, err error) {
	tx := s.Table.Tx()
	tx.Delete(s.Table.DeleteItem(sub.key()).If("attribute_not_exists(PK) OR $ = ?", "by", ByLink), errKept)
	return applied(ctx, tx)
}

// Add records, for an operator, that a recipient gets no mails of a list. It replaces a record that a link has made,
// and reports false if an operator's record exists.
func (s Store) Add(ctx context.Context, sub Subscription) (added bool, err error) {
	return s.put(ctx, sub, ByOperator, time.Now(), true)
}

// AddAll adds many, several at a time. It returns how many were added, even with an error.
func (s Store) AddAll(ctx context.Context, all []Subscription) (int, error) {
	var count atomic.Int64
	group, adding := api.NewGroupContext(ctx)
	group.SetLimit(table.MaxParallel)
	for _, sub := range all {
		group.Go(func() error {
			added, err := s.Add(adding, sub)
			if added {
				count.Add(1)
			}
			return err
		})
	}
	err := group.Wait()
	return int(count.Load()), err
}

// Remove deletes an unsubscribe for an operator, whoever has made it. It reports false if there is none.
func (s Store) Remove(ctx context.Context, sub Subscription) (removed bool, err error) {
	tx := s.Table.Tx()
	tx.Delete(s.Table.DeleteItem(sub.key()).If("attribute_exists(PK)"), errKept)
	return applied(ctx, tx)
}
