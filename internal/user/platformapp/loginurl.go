package platformapp

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// SetLoginURL sets where an app's login links lead from now on, "" for the stack's own page, and gives the app as it is
// then. Links that it has already go on to lead where they led.
func (s Store) SetLoginURL(ctx context.Context, app id.ID, address string) (App, error) {
	if err := checkLoginURL(address); err != nil {
		return App{}, err
	}
	key, gone := table.App(app), errGone(app)
	update := s.Table.UpdateItem(key).If("attribute_exists(PK) AND attribute_not_exists(revoked_at)")
	writeLoginURL(update, address)
	tx := s.Table.Tx() // its repetitions do not undo a later change
	tx.Update(update, gone)
	switch err := tx.Run(ctx); {
	case err == gone:
		return App{}, gone
	case err != nil:
		return App{}, fmt.Errorf("set the login address of platform app %d: %w", app, err)
	}
	items, err := s.Table.Read(ctx, key)
	if err != nil {
		return App{}, err
	}
	var item Record
	_, err = items.Get(key, &item)
	return item.app(), err
}

// writeLoginURL adds a login address to an update of an app's record.
func writeLoginURL(u *dynamo.Update, address string) {
	if address == "" {
		u.Remove("login_url")
	} else {
		u.Set("login_url", address)
	}
}

// loopback are the hosts that are reached without a network, which would see a link that http carries.
var loopback = []string{"127.0.0.1", "::1", "localhost"}

// checkLoginURL refuses an address at which a network would see login links, or to which no query can be added. What
// [url.URL.String] writes otherwise has a character that is to be escaped, or a host that is to be in punycode.
func checkLoginURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err == nil && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(address, "?#") &&
		strings.EqualFold(u.String(), address) &&
		(u.Scheme == "https" || u.Scheme == "http" && slices.Contains(loopback, u.Hostname())) {
		return nil
	}
	return fmt.Errorf("login address must be an https URL, or an http one of 127.0.0.1, [::1] or localhost, "+
		"in ASCII, without user info, query and fragment, not %q", address)
}
