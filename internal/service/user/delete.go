package user

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user/platformapp"
)

// DeleteFunction is the endpoint DELETE /platform/api/v1/users/{user_id}.
func (s *Service) DeleteFunction() api.Function {
	return api.Function{Handle: forLinked(s, nil, s.delete)}
}

// delete deletes a user. When some of the user's records are left, only the log tells the operator; for the app the
// user is deleted.
func (s *Service) delete(ctx context.Context, r *api.Request, l linkedUser, _ struct{}) (api.Response, error) {
	if err := s.deleteRecord(ctx, l.user, l.require); err != nil {
		return api.Response{}, err
	}
	if _, err := s.deleteRest(ctx, l.user.ID); err != nil {
		r.Fault(err)
	}
	return api.Response{Body: struct{}{}}, nil
}

// Delete deletes a user, and returns the user as it was. An error together with a user means that the user is deleted,
// but records are left. Of a user without a record it deletes what an interrupted deletion has left, and returns no
// user; it is an error if nothing is left. It is for operators.
func (s *Service) Delete(ctx context.Context, user id.ID) (deleted *User, err error) {
	u, err := s.get(ctx, user)
	if err == nil {
		err = s.deleteRecord(ctx, u, requireNothing)
		deleted = &u
	}
	if err != nil && err != platformapp.ErrUnauthorized {
		return nil, err
	}
	rest, err := s.deleteRest(ctx, user)
	if err == nil && deleted == nil && rest == 0 {
		err = missing(user, platformapp.ErrUnauthorized)
	}
	return deleted, err
}

// DeleteOwner deletes the user of an e-mail address, which is given in its normal form: with [Service.Delete], or
// without a record, if that is lost. It returns 0 if no user has the address. It is for operators.
func (s *Service) DeleteOwner(ctx context.Context, email string) (id.ID, error) {
	k := table.Email(email)
	items, err := s.Table.Read(ctx, k)
	if err != nil {
		return 0, err
	}
	var owner Owner
	if found, err := items.Get(k, &owner); err != nil || !found {
		return 0, err
	}
	if _, err := s.get(ctx, owner.User); err != platformapp.ErrUnauthorized {
		if err == nil {
			_, err = s.Delete(ctx, owner.User)
		}
		return owner.User, err
	}
	tx := s.Table.Tx()
	tx.Delete(s.Table.DeleteItem(k).If("'user' = ?", owner.User), errMoved)
	if err := tx.Run(ctx); err != nil {
		return 0, err
	}
	_, err = s.deleteRest(ctx, owner.User)
	return owner.User, err
}

// deleteRecord deletes a user's record and the ownership of its e-mail address: both or neither. From then on no token,
// link or membership of the user works, and no new one appears, because whoever uses or writes one depends on the
// record. require adds further conditions to the transaction. deleteRecord returns [platformapp.ErrUnauthorized] when
// the user is gone.
func (s *Service) deleteRecord(ctx context.Context, u User, require func(*table.Tx)) error {
	ending, cancel := Settling(ctx)
	defer cancel()
	_, err := retry(ending, s, u, func(u User) (struct{}, error) {
		tx := s.Table.Tx()
		require(tx)
		tx.Delete(s.Table.DeleteItem(table.User(u.ID)).If(u.asRead()), table.Final(errMoved))
		tx.Delete(s.Table.DeleteItem(OwnerKey(u.Email)).If("'user' = ?", u.ID), errMoved)
		return struct{}{}, tx.Run(ending)
	})
	if errors.Is(err, table.ErrUnknown) {
		if _, unknown := s.get(ctx, u.ID); unknown == platformapp.ErrUnauthorized {
			err = nil // the write got no answer, but the user is deleted
		}
	}
	return err
}

// deleteRest deletes the records that end with a deleted user, and their mirrors: see [table.EndingWith]. It returns
// how many it has deleted, without the mirrors. It uses transactions, although nothing needs to be atomic. IAM allows
// these with the permission to delete alone, while a batch needs dynamodb:BatchWriteItem, which would allow writing,
// too.
func (s *Service) deleteRest(ctx context.Context, user id.ID) (rest int, err error) {
	partitions := table.EndingWith(user)
	found := make([][]table.Key, len(partitions))
	group := api.NewGroup()
	for i, partition := range partitions {
		group.Go(func() error {
			page, err := table.QueryPartition[table.Key](ctx, s.Table, partition, 0)
			if err == nil {
				found[i], err = page.All(ctx)
			}
			return err
		})
	}
	err = group.Wait()
	for keys := range slices.Chunk(slices.Concat(found...), table.MaxWrites/2) {
		if err != nil {
			break
		}
		tx := s.Table.Tx()
		for _, k := range keys {
			tx.Delete(s.Table.DeleteItem(k), nil)
			if mirror := k.Mirror(); mirror != (table.Key{}) {
				tx.Delete(s.Table.DeleteItem(mirror), nil)
			}
		}
		err = tx.Run(ctx)
		rest += len(keys)
	}
	if err != nil {
		return rest, fmt.Errorf("user %[1]d is deleted; frontdesk user delete %[1]d deletes what is left of it: %[2]w",
			user, err)
	}
	return rest, nil
}
