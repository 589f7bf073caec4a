package exporting

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/service/user"
)

// writeLinks writes the links of an app, and notes the users that they name.
func (r *run) writeLinks(ctx context.Context, app id.ID) error {
	links, err := table.QueryAll[user.PermissibleLink](ctx, r.table, table.PermissibleLink(app, 0).PK, table.Users)
	if err != nil {
		return err
	}
	for _, l := range links {
		if err := r.write(linkRecord(l)); err != nil {
			return err
		}
	}
	return nil
}

func linkRecord(l user.PermissibleLink) transfer.Record {
	return transfer.Link{App: transfer.IDOf(l.App()), User: transfer.IDOf(l.User), CreatedAt: l.CreatedAt}
}

// writeNamed writes the users whom records name, unless they are written already.
func (r *run) writeNamed(ctx context.Context) error {
	for some := range slices.Chunk(r.unwritten(), table.MaxItems) {
		users, err := (&user.Service{Table: r.table}).Read(ctx, some...)
		if err != nil {
			return err
		}
		if err := r.writeUsers(ctx, users); err != nil {
			return err
		}
	}
	return nil
}

// writeUsers writes up to [table.MaxItems] users that were read.
func (r *run) writeUsers(ctx context.Context, users []user.User) error {
	hashes := map[id.ID]string{}
	// The hash is stored with the e-mail address, so it takes another read.
	if r.options.PasswordHashes {
		var err error
		users, hashes, err = r.readHashes(ctx, users)
		if err != nil {
			return err
		}
	}
	for _, u := range users {
		record, err := userRecord(u, hashes[u.ID])
		if err != nil {
			return err
		}
		if err := r.write(record); err != nil {
			return err
		}
	}
	return nil
}

// readAttempts is how often a user is read again. The hash is stored with the e-mail address, and the user may have
// changed the address before the hash is read.
const readAttempts = 10

// readHashes reads the hashes of users' passwords. It also returns the users, without those who are gone.
func (r *run) readHashes(
	ctx context.Context, users []user.User,
) (found []user.User, hashes map[id.ID]string, err error) {
	hashes = map[id.ID]string{}
	for range readAttempts {
		keys := make([]table.Key, len(users))
		for i, u := range users {
			keys[i] = user.OwnerKey(u.Email)
		}
		items, err := r.table.Read(ctx, keys...)
		if err != nil {
			return nil, nil, err
		}
		var moved []id.ID
		for i, u := range users {
			var owner user.Owner
			owned, err := items.Get(keys[i], &owner)
			if err != nil {
				return nil, nil, err
			}
			// The user has another address by now, or is gone. Reading the user again tells which.
			if !owned || owner.User != u.ID {
				moved = append(moved, u.ID)
				continue
			}
			hashes[u.ID] = owner.Password
			found = append(found, u)
		}
		if len(moved) == 0 {
			return found, hashes, nil
		}
		users, err = (&user.Service{Table: r.table}).Read(ctx, moved...)
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("user %d: %w", users[0].ID, errMoved)
}
