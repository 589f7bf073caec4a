package user

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// linkItem is the record of a permissible link, which exists or not. Its time is for operators.
type linkItem struct {
	table.Key
	CreatedAt time.Time `dynamo:"created_at"`
}

// authorize finds the user that a request's path names, for an app that is linked to that user, all in one round trip.
// In every other case it gives the same error, so that an app learns nothing of users that it is not linked to, not
// even whether they exist.
func (s *Service) authorize(ctx context.Context, r *api.Request) (User, error) {
	c, err := appCredential(r)
	if err != nil {
		return User{}, err
	}
	userID, ok := id.Parse(r.PathParameters["user_id"])
	if !ok {
		return User{}, errUnauthorized
	}
	link := table.PermissibleLink(c.ID, userID)
	items, err := s.Table.Read(ctx, table.App(c.ID), link, table.User(userID))
	if err != nil {
		return User{}, err
	}
	app, err := authenticateApp(c, items)
	if err != nil {
		return User{}, err
	}
	app.log(r)
	u, found, err := userIn(items, userID)
	if err != nil {
		return User{}, err
	}
	if _, linked := items[link]; !linked || !found {
		return User{}, errUnauthorized
	}
	u.log(r)
	return u, nil
}

// log adds to a request's log line which user the request is about.
func (u User) log(r *api.Request) { r.Log(slog.Int64("user", int64(u.ID))) }

// link gives an app the link to a user. An existing link stays as it is.
func (s *Service) link(ctx context.Context, app, user id.ID) error {
	item := linkItem{table.PermissibleLink(app, user), s.now()}
	err := s.Table.Put(item).If("attribute_not_exists(PK)").Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) {
		return fmt.Errorf("put permissible link: %w", err)
	}
	return nil
}
