// Package transfer is the file format for portals with their categories and members, users with their links, and
// unsubscribes, when they leave a table or come into one. A file has lines of JSON, one record each. Package exporting
// writes it from a table, and package importing reads it into one.
//
// The first line has the version: {"frontdesk_transfer": 1}. The last line says that the file is whole: {"kind":
// "end"}. The records in between may have any order. Their ids are those of the table or program that they come from.
// Accounts alone are the same in both places.
package transfer

import (
	"encoding/json"
	"time"

	"frontdesk/internal/base/id"
)

// Version is the version of the format.
const Version = 1

// RecordKind says what a line is about.
type RecordKind string

// The kinds of records, and that of the last line.
const (
	KindPortal      RecordKind = "portal"
	KindCategory    RecordKind = "category"
	KindMember      RecordKind = "member"
	KindUser        RecordKind = "user"
	KindLink        RecordKind = "link"
	KindUnsubscribe RecordKind = "unsubscribe"

	kindEnd RecordKind = "end"
)

// Kinds are the kinds of records, in an order where each kind names only earlier ones, or its own.
var Kinds = []RecordKind{KindPortal, KindUser, KindMember, KindLink, KindUnsubscribe, KindCategory}

// Record is a [Portal], [Category], [Member], [User], [Link] or [Unsubscribe].
type Record interface {
	Kind() RecordKind
	// NamedUsers are the users that the record names, besides the one that it is.
	NamedUsers() []ID
}

// Portal is a help center of an account. Account and slug identify it; it has no id.
type Portal struct {
	Account       id.ID     `json:"account"`
	Slug          string    `json:"slug"`
	Name          string    `json:"name"`
	Locales       []string  `json:"locales"`
	DefaultLocale string    `json:"default_locale"`
	FormerLocales []string  `json:"former_locales,omitempty"`
	Public        bool      `json:"public"`
	CreatedAt     time.Time `json:"created_at,omitzero"`
}

// Category is a category of a portal. Its fields have the names of the API.
type Category struct {
	Account     id.ID     `json:"account"`
	Portal      string    `json:"portal"` // its slug
	ID          ID        `json:"id"`
	Name        string    `json:"name"`
	Slug        string    `json:"slug"`
	Locale      string    `json:"locale,omitempty"` // "" means the portal's default
	Description *string   `json:"description,omitempty"`
	Position    *int64    `json:"position,omitempty"`
	Parent      ID        `json:"parent_category_id,omitzero"`
	Root        ID        `json:"associated_category_id,omitzero"`
	Related     []ID      `json:"related_category_ids,omitempty"`
	CreatedAt   time.Time `json:"created_at,omitzero"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`
}

// Member says that a user keeps the categories of a portal.
type Member struct {
	Account id.ID  `json:"account"`
	Portal  string `json:"portal"` // its slug
	User    ID     `json:"user"`
	// App is the platform app that made the user a member; none means an operator.
	App       ID        `json:"app,omitzero"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// User is a user of platform apps.
type User struct {
	ID               ID              `json:"id"`
	Name             string          `json:"name"`
	Email            string          `json:"email"`
	CustomAttributes json.RawMessage `json:"custom_attributes,omitempty"`
	PasswordHash     string          `json:"password_hash,omitempty"`           // from another program
	OwnPasswordHash  string          `json:"frontdesk_password_hash,omitempty"` // from frontdesk
	// These say that the user cannot sign in where the file comes from. An export of frontdesk has none of them.
	Enabled   *bool     `json:"enabled,omitempty"`
	Confirmed *bool     `json:"confirmed,omitempty"` // whether the e-mail address is known to be the user's
	Banned    bool      `json:"banned,omitempty"`
	Blocked   bool      `json:"blocked,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// Inactive says why the user could not sign in where the file comes from. It is "" for a user who could.
func (u User) Inactive() string {
	switch {
	case u.Enabled != nil && !*u.Enabled:
		return "not enabled"
	case u.Banned:
		return "banned"
	case u.Blocked:
		return "blocked"
	case u.Confirmed != nil && !*u.Confirmed:
		return "not confirmed"
	}
	return ""
}

// Link says that a platform app may act on a user.
type Link struct {
	App       ID        `json:"app"`
	User      ID        `json:"user"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Unsubscribe says that an address wants no more mails of a list of a mail key.
type Unsubscribe struct {
	MailKey ID        `json:"mail_key"`
	List    string    `json:"list,omitempty"` // "" means mails without a list
	Email   string    `json:"email"`
	By      string    `json:"by,omitempty"` // "link" or "operator"; "" means operator
	At      time.Time `json:"at,omitzero"`
}

// The kind of each record.
func (Portal) Kind() RecordKind      { return KindPortal }
func (Category) Kind() RecordKind    { return KindCategory }
func (Member) Kind() RecordKind      { return KindMember }
func (User) Kind() RecordKind        { return KindUser }
func (Link) Kind() RecordKind        { return KindLink }
func (Unsubscribe) Kind() RecordKind { return KindUnsubscribe }

// The users that each record names.
func (Portal) NamedUsers() []ID      { return nil }
func (Category) NamedUsers() []ID    { return nil }
func (m Member) NamedUsers() []ID    { return []ID{m.User} }
func (User) NamedUsers() []ID        { return nil }
func (l Link) NamedUsers() []ID      { return []ID{l.User} }
func (Unsubscribe) NamedUsers() []ID { return nil }
