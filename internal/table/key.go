package table

import "frontdesk/internal/id"

// Key is the primary key of one item. Every key of the table is made in this file.
type Key struct {
	PK string `dynamo:"PK,hash"`
	SK string `dynamo:"SK,range"`
}

// HashKey and RangeKey make a Key usable in the batches of guregu/dynamo.
func (k Key) HashKey() any  { return k.PK }
func (k Key) RangeKey() any { return k.SK }

// MailKeys is what the partition key of every mail key begins with.
const MailKeys = "MAILKEY#"

// MailKey is the key of a mail key's record.
func MailKey(mailKey id.ID) Key { return Key{PK: MailKeys + mailKey.Key(), SK: "MAILKEY"} }
