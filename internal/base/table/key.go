package table

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
)

// Key is the primary key of an item. This file makes every key of the table. Ids in keys are padded with zeros, so that
// they sort as numbers.
type Key struct {
	PK string `dynamo:"PK,hash"`
	SK string `dynamo:"SK,range"`
}

// HashKey and RangeKey let guregu/dynamo use a Key in its batches.
func (k Key) HashKey() any  { return k.PK }
func (k Key) RangeKey() any { return k.SK }

// Prefixes of the partition keys, one per kind of partition. The policies in template.yaml name the same prefixes. A
// policy can distinguish partitions, but not items within one (dynamodb:LeadingKeys). So items that different functions
// write are in different partitions.
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

// Directory is the partition that lists what operators have created: mail keys, platform apps and portals. No policy in
// template.yaml names it, so no function can read or write it.
const Directory = "DIRECTORY"

// Reopened is the key of a record that marks a table as restored from a backup and reopened. No policy in template.yaml
// names it.
var Reopened = Key{"REOPENED", "REOPENED"}

// LayoutKey is the key of the [LayoutRecord]. No policy in template.yaml names it.
var LayoutKey = Key{"LAYOUT", "LAYOUT"}

// DirectoryEntry is the key of a record's entry in the directory.
func DirectoryEntry(record Key) Key { return Key{Directory, record.PK} }

// Record is the reverse of [DirectoryEntry]: the key of the record to which a directory entry belongs. It is the zero
// Key for an entry of an unknown kind.
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

// Idempotency is the key of the record of all requests with one idempotency key; the key itself is stored as a digest
// only. The record has a partition of its own, so its writer needs no permission to write mail keys.
func Idempotency(mailKey id.ID, idempotencyKey credential.Digest) Key {
	return Key{Idempotencies + mailKey.Key() + "#" + idempotencyKey.String(), "IDEMPOTENCY"}
}

// MailDay is the key of a counter: the recipients to whom a mail key sent on a day (UTC).
func MailDay(mailKey id.ID, day time.Time) Key {
	return Key{MailDays + mailKey.Key(), "DAY#" + day.Format(time.DateOnly)}
}

// MailEvent is the key of an event of a mail: SES's id of the mail, and a name that sorts as the events happened. Each
// mail has its own partition of events.
func MailEvent(mail, name string) Key { return Key{MailEvents + mail, Events + name} }

// LoggedMail is the key of a mail's entry in the log of its mail key. The order begins with the time of sending,
// so entries sort by it. The log is spread over several partitions, because one partition takes only 1,000 writes
// a second.
func LoggedMail(mailKey id.ID, part int, order string) Key {
	return Key{MailLogs + mailKey.Key() + "#" + strconv.Itoa(part), SentMails + order}
}

// Prefixes of the sort keys of a mail's events, and of the mails in a log.
const (
	Events    = "EVENT#"
	SentMails = "SENT#"
)

// Unsubscribed is the key of the record that a recipient left a list of a mail key. The list "" contains the mails that
// name no list. The recipient is in normal form. All unsubscribes of a mail key share a partition.
func Unsubscribed(mailKey id.ID, list, recipient string) Key {
	return Key{Unsubscribes + mailKey.Key(), UnsubscribedFrom(list) + recipient}
}

// UnsubscribedFrom is the prefix of the sort keys of all unsubscribes from a list. A list's name never contains #, so
// no list's prefix begins with another's.
func UnsubscribedFrom(list string) string { return Lists + list + "#" }

// Lists is the prefix of the sort keys of all unsubscribes.
const Lists = "LIST#"

// App is the key of a platform app's record.
func App(app id.ID) Key { return Key{Apps + app.Key(), "APP"} }

// Grant is the key of the record that allows a platform app to manage the members of an account's portals. All grants
// of an app share a partition.
func Grant(app, account id.ID) Key {
	return Key{Grants + app.Key(), Accounts + account.Key()}
}

// Accounts is the prefix of the sort keys of all grants.
const Accounts = "ACCOUNT#"

// PermissibleLink is the key of the record that allows a platform app to act on a user.
func PermissibleLink(app, user id.ID) Key {
	return Key{PermissibleLinks + app.Key(), Users + user.Key()}
}

// LinkedApp is the key of the permissible link's mirror, which lists the apps of a user.
func LinkedApp(user, app id.ID) Key { return Key{LinkedApps + user.Key(), Apps + app.Key()} }

// mirrored lists the kinds of item that the table stores twice, so that either side can find the other.
var mirrored = []struct{ kind, mirror Key }{
	{Key{PermissibleLinks, Users}, Key{LinkedApps, Apps}},
	{Key{LinkedApps, Apps}, Key{PermissibleLinks, Users}},
	{Key{Members, Users}, Key{Memberships, Portals}},
	{Key{Memberships, Portals}, Key{Members, Users}},
}

// Mirror is the key of the same fact seen from the other side: the [LinkedApp] of a permissible link, the membership of
// a member, and vice versa. It is the zero Key for all other kinds.
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

// AgentToken is the key of a token with which a signed-in user sends requests. All tokens of a user share a partition.
func AgentToken(user id.ID, token credential.Digest) Key {
	return Key{AgentTokens + user.Key(), AgentTokens + token.String()}
}

// Email is the key of the record that names the owner of an e-mail address, in normal form. Its condition keeps
// addresses unique.
func Email(normalized string) Key { return Key{Emails + normalized, "EMAIL"} }

// SignInAttempts is the key of the counter of failed sign-ins for an e-mail address, in normal form.
func SignInAttempts(normalized string) Key { return Key{Attempts + normalized, "ATTEMPTS"} }

// UnansweredLogin is the key of the record that a login token may have been spent without an answer. It is in the
// partition of the user's agent tokens. So the function that writes these may write it, and a revocation deletes it
// with them.
func UnansweredLogin(user id.ID, token credential.Digest) Key {
	return Key{AgentTokens + user.Key(), LoginTokens + token.String()}
}

// LoginToken is the key of a token that signs a user in once. All login tokens of a user share a partition.
func LoginToken(user id.ID, token credential.Digest) Key {
	return Key{LoginTokens + user.Key(), LoginTokens + token.String()}
}

// Portal identifies a portal. Its record, its members and its categories are in three partitions.
type Portal struct {
	Account id.ID
	Slug    string
}

// String names the portal in logs and errors.
func (p Portal) String() string { return "portal " + p.Slug + " of account " + p.Account.String() }

func (p Portal) partition(kind string) string { return kind + p.Account.Key() + "#" + p.Slug }

// Key is the key of the portal's own record.
func (p Portal) Key() Key { return Key{p.partition(Portals), "PORTAL"} }

// Member is the key of the record that an agent is a member of the portal.
func (p Portal) Member(user id.ID) Key { return Key{p.partition(Members), Users + user.Key()} }

// Membership is the key of the member's mirror, which lists the portals of a user.
func (p Portal) Membership(user id.ID) Key {
	return Key{Memberships + user.Key(), p.partition(Portals)}
}

// Categories is the partition of the portal's categories, with their slugs and index items. Within it, they are apart
// by their sort keys: one query reads the records alone.
func (p Portal) Categories() string { return p.partition(Categories) }

// Prefixes of the sort keys of each kind of item in a portal's partition of categories.
const (
	Records    = "CATEGORY#"
	Slugs      = "SLUG#"
	IndexItems = "INDEX#"
)

// Category is the key of a category's record.
func (p Portal) Category(category id.ID) Key { return Key{p.Categories(), Records + category.Key()} }

// SlugOwner is the key of the record that names the owner of a slug in a locale. Its condition keeps slugs unique. The
// locale is in its normal form.
func (p Portal) SlugOwner(locale, slug string) Key {
	return Key{p.Categories(), Slugs + locale + "#" + slug}
}

// IndexOf is the prefix of the sort keys of all index items of a category.
func IndexOf(target id.ID) string { return IndexItems + target.Key() + "#" }

// IndexItem is the key of the record that source has the target as its parent or root; kind says which. It sorts by the
// target, so one query finds all that leads to a category.
func (p Portal) IndexItem(target id.ID, kind string, source id.ID) Key {
	return Key{p.Categories(), IndexOf(target) + kind + "#" + source.Key()}
}

// Portal returns the portal whose record, member or category has this key, or the zero Portal for a key of something
// else.
func (k Key) Portal() Portal {
	for _, kind := range []string{Portals, Members, Categories} {
		if rest, ok := strings.CutPrefix(k.PK, kind); ok {
			account, slug, _ := strings.Cut(rest, "#")
			return Portal{Account: idIn(account), Slug: slug}
		}
	}
	return Portal{}
}

// EndOfPartition is the id that ends the partition key, such as that of a user; 0 if no id does.
func (k Key) EndOfPartition() id.ID { return idIn(k.PK[strings.LastIndex(k.PK, "#")+1:]) }

// EndOfSort is the id that ends the sort key; 0 if no id does.
func (k Key) EndOfSort() id.ID { return idIn(k.SK[strings.LastIndex(k.SK, "#")+1:]) }

// idIn reads an id as keys have it, with zeros before it. It is 0 for a text that is no id.
func idIn(digits string) id.ID {
	found, _ := id.Parse(strings.TrimLeft(digits, "0"))
	return found
}

// MaxPartition and MaxSort are DynamoDB's limits for the two parts of a key, in bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
const (
	MaxPartition = 2048
	MaxSort      = 1024
)

// Fits reports whether DynamoDB accepts the key. An item whose key does not fit cannot exist, so readers treat it
// as absent.
func (k Key) Fits() bool {
	return k.PK != "" && len(k.PK) <= MaxPartition && k.SK != "" && len(k.SK) <= MaxSort
}

// Kind names the kind of item that has this key, for instance "category" or "mail key". It is [Unknown] for a key that
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

// Kinds yields the names of all kinds, as [Key.Kind] returns them, with an example key of each.
func Kinds() iter.Seq2[string, Key] {
	return func(yield func(string, Key) bool) {
		for _, kind := range kinds {
			if !yield(kind.name, Key{exampleOf(kind.pk), exampleOf(kind.sk)}) {
				return
			}
		}
	}
}

// exampleOf completes a prefix to a key, by the id 1.
func exampleOf(key string) string {
	if strings.HasSuffix(key, "#") {
		return key + id.ID(1).Key()
	}
	return key
}

// Unknown is the kind of a key that does not belong in the table. Entry is the kind of a directory entry.
const (
	Unknown = "unknown"
	Entry   = "directory entry"
)

// kinds lists every kind of item: its name and the shape of its two keys, whose parts that end in # are prefixes, and
// whether its partition ends with a user. What else there is to know of a kind, its feature declares: see [ItemKind].
var kinds = []struct {
	name, pk, sk string
	endsWithUser bool // its partition is one user's, and is deleted after the user's record: see [EndingWith]
}{
	{name: "mail key", pk: MailKeys, sk: "MAILKEY"},
	{name: "idempotency record", pk: Idempotencies, sk: "IDEMPOTENCY"},
	{name: "day of a mail key", pk: MailDays, sk: "DAY#"},
	{name: "event of a mail", pk: MailEvents, sk: Events},
	{name: "mail in a log", pk: MailLogs, sk: SentMails},
	{name: "unsubscribe", pk: Unsubscribes, sk: Lists},
	{name: "platform app", pk: Apps, sk: "APP"},
	{name: "grant", pk: Grants, sk: Accounts},
	{name: "permissible link", pk: PermissibleLinks, sk: Users},
	{name: "linked app", pk: LinkedApps, sk: Apps, endsWithUser: true},
	{name: "user", pk: Users, sk: "USER"},
	{name: "agent token", pk: AgentTokens, sk: AgentTokens, endsWithUser: true},
	{name: "unanswered login", pk: AgentTokens, sk: LoginTokens, endsWithUser: true},
	{name: "e-mail owner", pk: Emails, sk: "EMAIL"},
	{name: "sign-in attempts", pk: Attempts, sk: "ATTEMPTS"},
	{name: "login token", pk: LoginTokens, sk: LoginTokens, endsWithUser: true},
	{name: "portal", pk: Portals, sk: "PORTAL"},
	{name: "member", pk: Members, sk: Users},
	{name: "membership", pk: Memberships, sk: Portals, endsWithUser: true},
	{name: "category", pk: Categories, sk: Records},
	{name: "slug owner", pk: Categories, sk: Slugs},
	{name: "index item", pk: Categories, sk: IndexItems},
	{name: Entry, pk: Directory, sk: MailKeys},
	{name: Entry, pk: Directory, sk: Apps},
	{name: Entry, pk: Directory, sk: Portals},
	{name: "reopening", pk: Reopened.PK, sk: Reopened.SK},
	{name: "layout", pk: LayoutKey.PK, sk: LayoutKey.SK},
}

// EndingWith returns the partitions that end with a user: whoever deletes the user deletes all of their items, and the
// mirrors of these.
func EndingWith(user id.ID) (partitions []string) {
	for _, kind := range kinds {
		partition := kind.pk + user.Key()
		if kind.endsWithUser && !slices.Contains(partitions, partition) {
			partitions = append(partitions, partition)
		}
	}
	return partitions
}

// String formats the key for operators. It may contain an e-mail address, so logs of functions use [Key.Kind] instead.
func (k Key) String() string { return strconv.Quote(k.PK) + "/" + strconv.Quote(k.SK) }
