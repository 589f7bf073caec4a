package table

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/credential"
	"frontdesk/internal/id"
)

// Key is the primary key of one item. Every key of the table is made in this file. Ids in keys are padded
// with zeros, so that they sort as numbers.
type Key struct {
	PK string `dynamo:"PK,hash"`
	SK string `dynamo:"SK,range"`
}

// HashKey and RangeKey make a Key usable in the batches of guregu/dynamo.
func (k Key) HashKey() any  { return k.PK }
func (k Key) RangeKey() any { return k.SK }

// What the partition keys of each kind begin with. The policies in template.yaml name the same: a policy can tell
// partitions apart, and not items of one, so that what different functions write stands in different ones.
const (
	MailKeys         = "MAILKEY#"
	Idempotencies    = "IDEMPOTENCY#"
	MailDays         = "MAILDAY#"
	MailEvents       = "MAIL#"
	MailLogs         = "MAILS#"
	Unsubscribes     = "UNSUBSCRIBED#"
	Apps             = "APP#"
	Grants           = "GRANT#"
	PermissibleLinks = "LINK#"
	LinkedApps       = "LINKED#"
	Users            = "USER#"
	AgentTokens      = "TOKEN#"
	Emails           = "EMAIL#"
	Attempts         = "ATTEMPTS#"
	LoginTokens      = "LOGIN#"
	Portals          = "PORTAL#"
	Members          = "MEMBER#"
	Memberships      = "MEMBERSHIP#"
	Categories       = "CATEGORY#"
)

// Directory is the partition by which operators find what they have made: mail keys, platform apps and portals. No
// policy in template.yaml names it.
const Directory = "DIRECTORY"

// Reopened is the key of the record that the table, which comes from a backup, was reopened. No policy in template.yaml
// names it.
var Reopened = Key{"REOPENED", "REOPENED"}

// LayoutKey is the key of the [LayoutRecord]. No policy in template.yaml names it.
var LayoutKey = Key{"LAYOUT", "LAYOUT"}

// Listed is the key of the directory's entry of a record.
func Listed(record Key) Key { return Key{Directory, record.PK} }

// Record is the key of the record that an entry of the directory is of.
func (k Key) Record() Key {
	for _, kind := range kinds {
		if strings.HasPrefix(k.SK, kind.pk) {
			return Key{k.SK, kind.sk}
		}
	}
	return Key{}
}

// MailKey is the key of a mail key's record.
func MailKey(mailKey id.ID) Key { return Key{MailKeys + mailKey.Key(), "MAILKEY"} }

// Forgotten is the key of the record that a person was forgotten, by what stands in place of the address. Who may read
// a mail key reads it, and no function writes it.
func Forgotten(mailKey id.ID, alias string) Key { return Key{MailKey(mailKey).PK, Forgettings + alias} }

// Forgettings is what the sort key of every record begins with that a person was forgotten.
const Forgettings = "FORGOTTEN#"

// Idempotency is the key of the record of the requests to which a client has given one idempotency key, by that
// key's digest. It has a partition of its own: who writes it need not be able to write mail keys.
func Idempotency(mailKey id.ID, idempotencyKey credential.Digest) Key {
	return Key{Idempotencies + mailKey.Key() + "#" + idempotencyKey.String(), "IDEMPOTENCY"}
}

// MailDay is the key of the count of recipients that a mail key has sent to on a day.
func MailDay(mailKey id.ID, day time.Time) Key {
	return Key{MailDays + mailKey.Key(), "DAY#" + day.Format(time.DateOnly)}
}

// MailEvent is the key of an event of a mail, by SES's id of the mail and a name that sorts as the events do. The
// events of a mail have a partition of their own.
func MailEvent(mail, name string) Key { return Key{MailEvents + mail, Events + name} }

// LoggedMail is the key of a mail's entry in the log of its mail key, by what it sorts by, which begins with when the
// mail was sent. The log has several partitions, so that no single one takes all that a mail key sends.
func LoggedMail(mailKey id.ID, part int, order string) Key {
	return Key{MailLogs + mailKey.Key() + "#" + strconv.Itoa(part), SentMails + order}
}

// What the sort keys of a mail's events, and of the mails of a log, begin with.
const (
	Events    = "EVENT#"
	SentMails = "SENT#"
)

// Unsubscribed is the key of the record that a recipient wants no more mails of a list of a mail key; the list "" is
// that of mails that name none. The recipient is given in its normal form. All of a mail key share a partition.
func Unsubscribed(mailKey id.ID, list, recipient string) Key {
	return Key{Unsubscribes + mailKey.Key(), UnsubscribedFrom(list) + recipient}
}

// UnsubscribedFrom is what the sort key of every unsubscribe from a list begins with. No list has a # in its name.
func UnsubscribedFrom(list string) string { return Lists + list + "#" }

// Lists is what the sort key of every unsubscribe begins with.
const Lists = "LIST#"

// App is the key of a platform app's record.
func App(app id.ID) Key { return Key{Apps + app.Key(), "APP"} }

// Grant is the key of the record that a platform app may keep the members of an account's portals. The grants of an app
// share a partition.
func Grant(app, account id.ID) Key {
	return Key{Grants + app.Key(), Accounts + account.Key()}
}

// Accounts is what the sort key of every grant begins with.
const Accounts = "ACCOUNT#"

// PermissibleLink is the key of the link between a platform app and a user that it may act on.
func PermissibleLink(app, user id.ID) Key {
	return Key{PermissibleLinks + app.Key(), Users + user.Key()}
}

// LinkedApp is the key of the record, beside the permissible link, by which the links of a user are found.
func LinkedApp(user, app id.ID) Key { return Key{LinkedApps + user.Key(), Apps + app.Key()} }

// mirrored are the kinds that stand in the table twice, to be found from either side.
var mirrored = []struct{ kind, mirror Key }{
	{Key{PermissibleLinks, Users}, Key{LinkedApps, Apps}},
	{Key{LinkedApps, Apps}, Key{PermissibleLinks, Users}},
	{Key{Members, Users}, Key{Memberships, Portals}},
	{Key{Memberships, Portals}, Key{Members, Users}},
}

// Mirror is the key of the record that says the same from the other side: the [LinkedApp] of a permissible link, the
// membership of a member, and the other way round. It is the zero Key for every other kind.
func (k Key) Mirror() Key {
	for _, m := range mirrored {
		pk, inPK := strings.CutPrefix(k.PK, m.kind.PK)
		sk, inSK := strings.CutPrefix(k.SK, m.kind.SK)
		if inPK && inSK {
			return Key{m.mirror.PK + sk, m.mirror.SK + pk}
		}
	}
	return Key{}
}

// User is the key of a user's record.
func User(user id.ID) Key { return Key{Users + user.Key(), "USER"} }

// AgentToken is the key of a token by which a user is signed in. The tokens of a user share a partition.
func AgentToken(user id.ID, token credential.Digest) Key {
	return Key{AgentTokens + user.Key(), AgentTokens + token.String()}
}

// Email is the key of the record that says whose an e-mail address is. It is given in its normal form.
func Email(normalized string) Key { return Key{Emails + normalized, "EMAIL"} }

// SignInAttempts is the key of the count of failed sign-ins for an e-mail address in its normal form.
func SignInAttempts(normalized string) Key { return Key{Attempts + normalized, "ATTEMPTS"} }

// UnansweredLogin is the key of the record that a login token may have been spent without an answer. It stands among
// the user's agent tokens: who may write those may write it, and it goes when they are revoked.
func UnansweredLogin(user id.ID, token credential.Digest) Key {
	return Key{AgentTokens + user.Key(), LoginTokens + token.String()}
}

// LoginToken is the key of a token that signs a user in once. The tokens of a user share a partition.
func LoginToken(user id.ID, token credential.Digest) Key {
	return Key{LoginTokens + user.Key(), LoginTokens + token.String()}
}

// Portal names a portal. Its record, its members and its categories have a partition each.
type Portal struct {
	Account id.ID
	Slug    string
}

// String is the portal for logs and errors.
func (p Portal) String() string { return "portal " + p.Slug + " of account " + p.Account.String() }

func (p Portal) partition(kind string) string { return kind + p.Account.Key() + "#" + p.Slug }

// Key is the key of the portal's own record.
func (p Portal) Key() Key { return Key{p.partition(Portals), "PORTAL"} }

// Member is the key of an agent's membership.
func (p Portal) Member(user id.ID) Key { return Key{p.partition(Members), Users + user.Key()} }

// Membership is the key of the record, beside the member's, by which the memberships of a user are found.
func (p Portal) Membership(user id.ID) Key {
	return Key{Memberships + user.Key(), p.partition(Portals)}
}

// Categories is the partition of the portal's categories, and of all that is kept of them.
func (p Portal) Categories() string { return p.partition(Categories) }

// What the sort keys of each kind among the categories of a portal begin with.
const (
	Records = "CATEGORY#"
	Slugs   = "SLUG#"
	Refs    = "REF#"
	Orders  = "ORDER#"
)

// Category is the key of a category's record.
func (p Portal) Category(category id.ID) Key { return Key{p.Categories(), Records + category.Key()} }

// SlugOwner is the key of the record that says whose a slug is in a locale.
func (p Portal) SlugOwner(locale, slug string) Key {
	return Key{p.Categories(), Slugs + locale + "#" + slug}
}

// OrdersOf is what the sort key of every place in the list of a locale begins with.
func OrdersOf(locale string) string { return Orders + locale + "#" }

// Order is the key of a category's place in the list of its locale. The keys of a locale sort by position, those
// without one last, and then by id.
func (p Portal) Order(locale string, position *int64, category id.ID) Key {
	at := "none" // behind every hexadecimal digit
	if position != nil {
		at = fmt.Sprintf("%016x", uint64(*position)^1<<63) // negative ones first
	}
	return Key{p.Categories(), OrdersOf(locale) + at + "#" + category.Key()}
}

// RefKind is a kind of link between categories, as it stands in a key.
type RefKind string

// The kinds of link: sub-category to parent, associated category to root, category to related one.
const (
	Sub     RefKind = "SUB"
	Assoc   RefKind = "ASSOC"
	Related RefKind = "RELATED"
)

// RefsTo is what the sort key of every link to a category begins with.
func RefsTo(target id.ID) string { return Refs + target.Key() + "#" }

// Ref is the key of the record, in the target's part of the portal, that source links to it.
func (p Portal) Ref(target id.ID, kind RefKind, source id.ID) Key {
	return Key{p.Categories(), RefsTo(target) + string(kind) + "#" + source.Key()}
}

// MaxPartition and MaxSort are the longest keys in bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
const (
	MaxPartition = 2048
	MaxSort      = 1024
)

// Fits reports whether DynamoDB takes the key: what does not fit does not exist.
func (k Key) Fits() bool {
	return k.PK != "" && len(k.PK) <= MaxPartition && k.SK != "" && len(k.SK) <= MaxSort
}

// Kind says what a key is of, in words of the design: "category", "mail key". It is Unknown for one that
// this file does not make.
func (k Key) Kind() string {
	for _, kind := range kinds {
		isPrefix := strings.HasSuffix(kind.sk, "#") && strings.HasPrefix(k.SK, kind.sk)
		if strings.HasPrefix(k.PK, kind.pk) && (k.SK == kind.sk || isPrefix) {
			return kind.name
		}
	}
	return Unknown
}

// Kinds are the kinds of keys, as [Key.Kind] names them, with an example of each.
func Kinds() iter.Seq2[string, Key] {
	return func(yield func(string, Key) bool) {
		for _, kind := range kinds {
			if !yield(kind.name, Key{exampleOf(kind.pk), exampleOf(kind.sk)}) {
				return
			}
		}
	}
}

func exampleOf(key string) string {
	if strings.HasSuffix(key, "#") {
		return key + "1"
	}
	return key
}

// Unknown is the kind of a key that has no place in the table, and Entry that of one in the directory.
const (
	Unknown = "unknown"
	Entry   = "directory entry"
)

var kinds = []struct{ name, pk, sk string }{
	{"mail key", MailKeys, "MAILKEY"},
	{"forgotten person", MailKeys, Forgettings},
	{"idempotency record", Idempotencies, "IDEMPOTENCY"},
	{"day of a mail key", MailDays, "DAY#"},
	{"event of a mail", MailEvents, Events},
	{"mail in a log", MailLogs, SentMails},
	{"unsubscribe", Unsubscribes, Lists},
	{"platform app", Apps, "APP"},
	{"grant", Grants, Accounts},
	{"permissible link", PermissibleLinks, Users},
	{"linked app", LinkedApps, Apps},
	{"user", Users, "USER"},
	{"agent token", AgentTokens, AgentTokens},
	{"unanswered login", AgentTokens, LoginTokens},
	{"e-mail owner", Emails, "EMAIL"},
	{"sign-in attempts", Attempts, "ATTEMPTS"},
	{"login token", LoginTokens, LoginTokens},
	{"portal", Portals, "PORTAL"},
	{"member", Members, Users},
	{"membership", Memberships, Portals},
	{"category", Categories, Records},
	{"slug owner", Categories, Slugs},
	{"incoming link", Categories, Refs},
	{"place in the list", Categories, Orders},
	{Entry, Directory, MailKeys},
	{Entry, Directory, Apps},
	{Entry, Directory, Portals},
	{"reopening", Reopened.PK, Reopened.SK},
	{"layout", LayoutKey.PK, LayoutKey.SK},
}

// String is the key for operators. It may have an e-mail address: what may reach the log of a function has [Key.Kind]
// in its place.
func (k Key) String() string { return strconv.Quote(k.PK) + "/" + strconv.Quote(k.SK) }
