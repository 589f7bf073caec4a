// Package credential mints, parses and verifies the secrets with which callers prove who they are.
//
// A credential is written <kind>_<id>_<secret>. With the id, the caller's record can be read directly, in one round
// trip. The secret has 256 random bits. Nobody can guess it, so storing its plain SHA-256 is enough; a slow hash is
// only needed for passwords.
package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"strings"

	"frontdesk/internal/base/id"
)

// Kind says what a credential is for. A credential of another kind counts as none.
type Kind string

const (
	MailKey     Kind = "fdm" // sends mail
	PlatformApp Kind = "fdp" // an external application that manages users
	Agent       Kind = "fda" // a person who is signed in
	Login       Kind = "fdl" // signs a person in, once
)

// secretBytes is the length of a secret, before it is written in hexadecimal.
const secretBytes = 32

// Digest is the SHA-256 of a secret. Only this is stored.
type Digest [sha256.Size]byte

// Credential is a well-formed credential. It is not known to be genuine until its Digest was compared with the
// stored one.
type Credential struct {
	ID     id.ID
	Digest Digest
}

// Mint makes a new credential for owner. The text is shown to its user once and stored nowhere; the record keeps
// the digest.
func Mint(kind Kind, owner id.ID) (text string, digest Digest) {
	var secret [secretBytes]byte
	rand.Read(secret[:]) // never returns an error: it would end the process instead
	written := hex.EncodeToString(secret[:])
	return string(kind) + "_" + strconv.FormatInt(int64(owner), 36) + "_" + written, sha256.Sum256([]byte(written))
}

// Parse reads a credential of one kind. Each credential has exactly one spelling. For any other text ok is false, and
// nothing tells what is wrong with it.
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

// Matches reports whether stored is the digest of the credential's secret. It takes constant time.
func (c Credential) Matches(stored []byte) bool {
	return subtle.ConstantTimeCompare(c.Digest[:], stored) == 1
}

// String returns the digest in hexadecimal, as keys have it.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }
