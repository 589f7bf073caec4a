package exporting

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/service/mail/unsubscribe"
	"frontdesk/internal/service/user"

	"github.com/guregu/dynamo/v2"
)

// scanned are the kinds of items of which a scan finds all that an export writes, and what reads their items. Users,
// with their hashes, and portals, with their members and categories, take other reads.
var scanned = map[string]func(dynamo.Item) (transfer.Record, error){
	table.PermissibleLink(0, 0).Kind(): func(item dynamo.Item) (transfer.Record, error) {
		var l user.PermissibleLink
		err := table.Decode(item, &l)
		return linkRecord(l), err
	},
	table.Unsubscribed(0, "", "").Kind(): func(item dynamo.Item) (transfer.Record, error) {
		mailKey, u, err := unsubscribe.Decode(item)
		return transfer.Unsubscribe{
			MailKey: transfer.IDOf(mailKey), List: u.List, Email: u.Email, By: string(u.By), At: u.At,
		}, err
	},
}

// scan writes the users of the whole table, and what is [scanned].
func (r *run) scan(ctx context.Context) error { return r.table.ScanAll(ctx, r.writeItems) }

// writeItems writes a page of the scan. Several segments of the scan call it at the same time.
func (r *run) writeItems(ctx context.Context, items []dynamo.Item) error {
	var users []user.User
	for _, item := range items {
		key := table.KeyOf(item)
		if key.Kind() == table.User(0).Kind() {
			var u user.User
			if err := table.Decode(item, &u); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			users = append(users, u)
		}
		decode := scanned[key.Kind()]
		if decode == nil {
			continue
		}
		record, err := decode(item)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if err := r.write(record); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(users, table.MaxItems) {
		if err := r.writeUsers(ctx, some); err != nil {
			return err
		}
	}
	return nil
}
