// Package transfer is the file format for portals with their categories and members, users with their links, and
// unsubscribes, when they leave a table or come into one. A file has lines of JSON, one record each. Package exporting
// writes it from a table, and package importing reads it into one.
//
// The first line has the version: {"frontdesk_transfer": 1}. The last line says that the file is whole: {"kind":
// "end"}. The records in between may have any order. Their ids are those of the table or program that they come from.
package transfer

import (
	"encoding/json"
	"time"

	"frontdesk/internal/id"
)

// Version is the version of the format.
const Version = 1

// Kind says what a line is about.
type Kind string

// The kinds of records, and that of the last line.
const (
	KindPortal      Kind = "portal"
	KindCategory    Kind = "category"
	KindMember      Kind = "member"
	KindUser        Kind = "user"
	KindLink        Kind = "link"
	KindUnsubscribe Kind = "unsubscribe"

	kindEnd Kind = "end"
)

// Kinds are the kinds of records, in an order where each kind names only earlier ones, or its own.
var Kinds = []Kind{KindPortal, KindUser, KindMember, KindLink, KindUnsubscribe, KindCategory}

// Record is a [Portal], [Category], [Member], [User], [Link] or [Unsubscribe].
type Record interface{ Kind() Kind }

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
	ID          id.ID     `json:"id"`
	Name        string    `json:"name"`
	Slug        string    `json:"slug"`
	Locale      string    `json:"locale,omitempty"` // "" means the portal's default
	Description *string   `json:"description,omitempty"`
	Position    *int64    `json:"position,omitempty"`
	Parent      id.ID     `json:"parent_category_id,omitzero"`
	Root        id.ID     `json:"associated_category_id,omitzero"`
	Related     []id.ID   `json:"related_category_ids,omitempty"`
	CreatedAt   time.Time `json:"created_at,omitzero"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`
}

// Member says that a user keeps the categories of a portal.
type Member struct {
	Account id.ID  `json:"account"`
	Portal  string `json:"portal"` // its slug
	User    id.ID  `json:"user"`
	// App is the platform app that made the user a member; 0 means an operator.
	App       id.ID     `json:"app,omitzero"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// User is a user of platform apps.
type User struct {
	ID               id.ID           `json:"id"`
	Name             string          `json:"name"`
	Email            string          `json:"email"`
	CustomAttributes json.RawMessage `json:"custom_attributes,omitempty"`
	PasswordHash     string          `json:"password_hash,omitempty"`           // from another program
	OwnPasswordHash  string          `json:"frontdesk_password_hash,omitempty"` // from frontdesk
	CreatedAt        time.Time       `json:"created_at,omitzero"`
	UpdatedAt        time.Time       `json:"updated_at,omitzero"`
}

// Link says that a platform app may act on a user.
type Link struct {
	App       id.ID     `json:"app"`
	User      id.ID     `json:"user"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Unsubscribe says that an address wants no more mails of a list of a mail key.
type Unsubscribe struct {
	MailKey id.ID     `json:"mail_key"`
	List    string    `json:"list,omitempty"` // "" means mails without a list
	Email   string    `json:"email"`
	By      string    `json:"by,omitempty"` // "link" or "operator"; "" means operator
	At      time.Time `json:"at,omitzero"`
}

// The kind of each record.
func (Portal) Kind() Kind      { return KindPortal }
func (Category) Kind() Kind    { return KindCategory }
func (Member) Kind() Kind      { return KindMember }
func (User) Kind() Kind        { return KindUser }
func (Link) Kind() Kind        { return KindLink }
func (Unsubscribe) Kind() Kind { return KindUnsubscribe }
