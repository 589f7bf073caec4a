// Package credential mints, parses and verifies the secrets by which callers prove who they are.
//
// A credential reads <kind>_<id>_<secret>. The id inside it means that the record it belongs to is read
// directly, in one round trip; the secret is 256 random bits, so that its plain SHA-256 is enough to store.
package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"strings"

	"frontdesk/internal/id"
)

// Kind is what a credential is for. One of another kind is no credential at all.
type Kind string

const (
	MailKey     Kind = "fdm" // sends mail
	PlatformApp Kind = "fdp" // an external application that manages users
	Agent       Kind = "fda" // a person who is signed in
	Login       Kind = "fdl" // signs a person in, once
)

// secretBytes is the secret's length before it is written in hexadecimal.
const secretBytes = 32

// Digest is the SHA-256 of a secret: what is stored of it.
type Digest [sha256.Size]byte

// Credential is a well-formed credential. Whether it is genuine is not known until its Digest was
// compared with the stored one.
type Credential struct {
	ID     id.ID
	Digest Digest
}

// Mint makes a new credential for owner. The text is shown to its user once and stored nowhere; the
// record keeps the digest.
func Mint(kind Kind, owner id.ID) (text string, digest Digest) {
	var secret [secretBytes]byte
	rand.Read(secret[:]) // never fails: it ends the process rather than return an error
	written := hex.EncodeToString(secret[:])
	return string(kind) + "_" + strconv.FormatInt(int64(owner), 36) + "_" + written, sha256.Sum256([]byte(written))
}

// Parse reads a credential of one kind. There is exactly one way to write each; ok is false for any other
// text, and nothing more is told about what is wrong with it.
func Parse(kind Kind, text string) (c Credential, ok bool) {
	rest, ok := strings.CutPrefix(text, string(kind)+"_")
	if !ok {
		return Credential{}, false
	}
	owner, secret, ok := strings.Cut(rest, "_")
	if !ok || len(secret) != hex.EncodedLen(secretBytes) || strings.Trim(secret, "0123456789abcdef") != "" {
		return Credential{}, false
	}
	n, err := strconv.ParseInt(owner, 36, 64)
	if err != nil || n < 1 || id.ID(n) > id.Max || strconv.FormatInt(n, 36) != owner {
		return Credential{}, false
	}
	return Credential{ID: id.ID(n), Digest: sha256.Sum256([]byte(secret))}, true
}

// Matches reports whether stored is the digest of the credential's secret, in constant time.
func (c Credential) Matches(stored []byte) bool {
	return subtle.ConstantTimeCompare(c.Digest[:], stored) == 1
}

// String is the digest in hexadecimal, as it stands in a key.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }
