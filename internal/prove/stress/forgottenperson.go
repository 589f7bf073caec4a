package main

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"

	"frontdesk/internal/base/table"
	"frontdesk/internal/base/table/itemjson"
	"frontdesk/internal/operate/personaldata"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/service/mail/unsubscribe"

	"github.com/guregu/dynamo/v2"
)

// forgottenPerson is a person of whom the table has a mail with events, an unsubscribe, a user and a failed sign-in.
// The person is forgotten while some of these are still under way.
type forgottenPerson struct {
	address string
	mail    *mailModel
	done    bool // the forgetting was acknowledged
}

// newPerson returns a person with a unique address, and a mail to it that is not sent yet.
func (o *operator) newPerson() *forgottenPerson {
	subject := o.name("person")
	p := &forgottenPerson{address: subject + "@example.org"}
	p.mail = &mailModel{
		subject: subject, recipients: []string{p.address}, outcome: outcome{known: true, refused: 1},
		request: request{endpoint: mailPlain, key: "key-of-" + subject, body: object{
			"key": o.tenant.MailKeyText, "subject": subject, "text": "Hello",
			"recipients": []object{{"email": p.address}},
		}},
	}
	o.mails = append(o.mails, p.mail)
	o.persons = append(o.persons, p)
	return p
}

// Every person's password, and its hash as PHP makes it.
const (
	foreignPassword = "Grüße, 世界 17"
	foreignHash     = "$2y$10$CjiGRCmXAC4/cwiWTF7HnOw3IYRyy88ng6OGPGYjKa9v2gHbN5vNS"
)

// createPerson puts a person into the table. Requests may fail, but a created user signs in by the password that
// another program has hashed.
func (o *operator) createPerson(ctx context.Context, p *forgottenPerson) {
	signIn := func(password string) answer {
		return o.do(ctx, request{endpoint: userSignIn, body: object{
			"email": p.address, "password": password,
		}})
	}
	created := o.do(ctx, request{endpoint: userCreate, token: o.tenant.AppToken, body: object{
		"name": "Person", "email": p.address, "password_hash": foreignHash,
	}})
	if a := signIn(foreignPassword); created.ok() && a.status == http.StatusUnauthorized {
		o.violations.add("%s cannot sign in by the password of another program: %s", p.address, a)
	}
	signIn("wrong password")
	_, _ = unsubscribe.Store{Table: o.table}.Add(ctx, unsubscribe.Subscription{
		MailKey: o.tenant.MailKey.ID, List: o.newsletters(), Recipient: p.address,
	})
	o.send(ctx, p.mail)
}

// forget forgets a person, with the user and the unsubscribes, as the tool's command does. If the command leaves
// something to the operator, such as a user who was created meanwhile, it is repeated.
func (o *operator) forget(ctx context.Context, rng *rand.Rand, p *forgottenPerson) {
	_, err := repeated(ctx, rng, func(ctx context.Context) error { return o.forgetOnce(ctx, p) })
	p.done = err == nil
}

func (o *operator) forgetOnce(ctx context.Context, p *forgottenPerson) error {
	found, err := personaldata.Find(ctx, o.table, p.address)
	if err != nil {
		return err
	}
	report, err := personaldata.Forget(ctx, o.table, registry.Kinds(), found, personaldata.Options{
		User: true, Unsubscribes: true, Progress: func(int64) {},
	})
	if err == nil && len(report.Left) > 0 {
		err = fmt.Errorf("left: %+v", report.Left)
	}
	return err
}

// traces returns what would reveal a person in an item: the address, and each digest of it that needs no secret.
func (p *forgottenPerson) traces() []string {
	sum256, sum1, md := sha256.Sum256([]byte(p.address)), sha1.Sum([]byte(p.address)), md5.Sum([]byte(p.address))
	found := []string{p.address}
	for _, digest := range [][]byte{sum256[:], sum1[:], md[:]} {
		found = append(found, hex.EncodeToString(digest), base64.RawStdEncoding.EncodeToString(digest))
	}
	return found
}

// checkForgotten forgets persons once more, because calls under way and late events may have brought them back. Then it
// searches the whole table for them, and reports one violation for each kind of item with a trace.
func (o *oracle) checkForgotten(ctx context.Context) {
	for _, p := range o.operator.persons {
		if !p.done {
			continue
		}
		if err := o.operator.forgetOnce(ctx, p); err != nil {
			o.violations.add("forget %s again: %v", p.address, err)
		}
		o.confirmed.forgotten++
	}
	err := o.table.ScanAll(ctx, func(_ context.Context, items []dynamo.Item) error {
		for _, item := range items {
			text, err := json.Marshal(itemjson.Document(item))
			if err != nil {
				return err
			}
			for _, p := range o.operator.persons {
				for _, trace := range p.traces() {
					if p.done && strings.Contains(string(text), trace) {
						o.violations.add("%s was forgotten, and stands in an item of the kind %s",
							p.address, table.KeyOf(item).Kind())
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		o.violations.add("search the table for who was forgotten: %v", err)
	}
}

// checkTrees imports and exports each tree once more, when nothing fails: the table already has everything, once.
func (o *oracle) checkTrees(ctx context.Context) {
	for _, t := range o.operator.trees {
		report, err := o.operator.imported(ctx, t)
		if err != nil {
			o.violations.add("import %s again: %v", t.slug, err)
			continue
		}
		for kind, n := range report.Counts {
			if t.done && n.Created+n.Changed+n.Differs > 0 {
				o.violations.add("the import of %s was acknowledged, and of its %s records are %+v", t.slug, kind, n)
			}
		}
		got, err := o.operator.exported(ctx, t)
		if err != nil {
			o.violations.add("export %s: %v", t.slug, err)
		} else if t.check(got, o.violations) {
			o.confirmed.trees++
		}
	}
}
