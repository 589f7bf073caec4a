package unsubscribe

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"

	"frontdesk/internal/id"
)

// Subscription is that a recipient is on a list of a mail key.
type Subscription struct {
	MailKey   id.ID
	List      string // "" for the list of mails that name none
	Recipient string // in its normal form
}

// Path is what the path of every address begins with.
const Path = "/unsubscribe/"

// Redirected is the token in a mail that goes to somebody else than its recipient: it stands for no subscription.
const Redirected = "redirected"

const (
	kind    = "fdu"
	version = "1"
)

// encoding has no capitals, which programs change, and nothing but letters and digits: what reads logs for secrets
// knows the token by its form, as any other credential.
var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Sealer writes the tokens that stand for the subscriptions of a mail key:
//
//	fdu_<the mail key's id>_1<nonce, sealed list and recipient, tag>
//
// What is in clear is sealed along as associated data. The nonce is random, for which a key may seal 2^32 times (NIST
// SP 800-38D section 8.3): two nonces are then the same with a probability of 2^-33.
type Sealer struct {
	mailKey id.ID
	aead    cipher.AEAD
}

// NewSealer makes the sealer of a mail key, given its secret of 32 bytes.
func NewSealer(mailKey id.ID, secret []byte) (Sealer, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return Sealer{}, fmt.Errorf("the secret of mail key %d: %w", mailKey, err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return Sealer{mailKey, aead}, err
}

// inClear is what stands before the sealed part of a token.
func inClear(mailKey id.ID) string {
	return kind + "_" + strconv.FormatInt(int64(mailKey), 36) + "_" + version
}

// Seal writes the token of a recipient on a list.
func (s Sealer) Seal(list, recipient string) string {
	before := inClear(s.mailKey)
	return before + encoding.EncodeToString(s.aead.Seal(nil, nil, []byte(list+"#"+recipient), []byte(before)))
}

// token is a well-formed token. Whether it is genuine is not known until it was opened.
type token struct {
	mailKey id.ID
	sealed  []byte
}

// parseToken reads a token. There is exactly one way to write each.
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

// open is the subscription that a genuine token stands for.
func (s Sealer) open(t token) (of Subscription, ok bool) {
	opened, err := s.aead.Open(nil, nil, t.sealed, []byte(inClear(s.mailKey)))
	if err != nil {
		return Subscription{}, false
	}
	list, recipient, ok := strings.Cut(string(opened), "#")
	return Subscription{MailKey: s.mailKey, List: list, Recipient: recipient}, ok
}
