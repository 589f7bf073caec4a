package unsubscribe

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"

	"frontdesk/internal/base/id"
)

// Subscription identifies a recipient on a list of a mail key.
type Subscription struct {
	MailKey   id.ID
	List      string // "" for mails without a list
	Recipient string // in its normal form
}

// Path is the beginning of the path of every unsubscribe link.
const Path = "/unsubscribe/"

// Redirected is the token in a redirected mail: it stands for no subscription, so that a tester cannot unsubscribe
// a customer.
const Redirected = "redirected"

const (
	kind    = "fdu"
	version = "1"
)

// encoding uses lower-case letters and digits alone. Programs change capitals in links, and scanners that search logs
// for secrets recognize the token by its form, like any other credential.
var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Sealer writes the tokens for the subscriptions of a mail key:
//
//	fdu_<the mail key's id>_1<nonce, sealed list and recipient, tag>
//
// The part in clear is authenticated as associated data. The nonce is random, so a key may seal at most 2^32 times
// (NIST SP 800-38D section 8.3). Even then two nonces are equal with a probability of only 2^-33.
type Sealer struct {
	mailKey id.ID
	aead    cipher.AEAD
}

// NewSealer makes the sealer of a mail key from its secret of 32 bytes.
func NewSealer(mailKey id.ID, secret []byte) (Sealer, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return Sealer{}, fmt.Errorf("the secret of mail key %d: %w", mailKey, err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return Sealer{mailKey, aead}, err
}

// inClear is the part of a token before the sealed part.
func inClear(mailKey id.ID) string {
	return kind + "_" + strconv.FormatInt(int64(mailKey), 36) + "_" + version
}

// Seal writes the token of a recipient on a list. No list has a #, so the first one separates the two.
func (s Sealer) Seal(list, recipient string) string {
	before := inClear(s.mailKey)
	return before + encoding.EncodeToString(s.aead.Seal(nil, nil, []byte(list+"#"+recipient), []byte(before)))
}

// token is a well-formed token. Only [Sealer.open] can tell whether it is genuine.
type token struct {
	mailKey id.ID
	sealed  []byte
}

// parseToken reads a token. It accepts exactly one spelling of each, so that a changed link never works by chance.
func parseToken(text string) (t token, ok bool) {
	owner, ok := strings.CutPrefix(text, kind+"_")
	if !ok {
		return token{}, false
	}
	owner, _, _ = strings.Cut(owner, "_")
	n, err := strconv.ParseInt(owner, 36, 64)
	if err != nil || n < 1 || id.ID(n) > id.Max {
		return token{}, false
	}
	written, ok := strings.CutPrefix(text, inClear(id.ID(n)))
	if !ok {
		return token{}, false
	}
	sealed, err := encoding.DecodeString(written)
	if err != nil || encoding.EncodeToString(sealed) != written {
		return token{}, false
	}
	return token{id.ID(n), sealed}, true
}

// open returns the subscription of a genuine token.
func (s Sealer) open(t token) (sub Subscription, ok bool) {
	opened, err := s.aead.Open(nil, nil, t.sealed, []byte(inClear(s.mailKey)))
	if err != nil {
		return Subscription{}, false
	}
	list, recipient, ok := strings.Cut(string(opened), "#")
	return Subscription{MailKey: s.mailKey, List: list, Recipient: recipient}, ok
}
