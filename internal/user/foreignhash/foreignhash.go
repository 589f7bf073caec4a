// Package foreignhash reads hashes of passwords from other programs, and compares passwords with them.
package foreignhash

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
)

// Hash is the hash of a password from another program. [Parse] makes one.
type Hash struct {
	Kind    string // bcrypt, bcrypt_sha256, pbkdf2_sha256 or argon2id
	matches func(password string) bool
}

// Matches reports whether the hash belongs to the password, byte for byte: it normalizes nothing and cuts nothing off.
// The cost depends only on the hash, except that long passwords take a little longer.
func (h Hash) Matches(password string) bool { return h.matches(password) }

// Bounds of salts and keys, in bytes. A list for reopening a table keeps a digest of each hash. Without a salt, whoever
// has that digest could use it to check guesses of the password.
const (
	minSalt = 8
	minKey  = 16
	maxPart = 64
)

var errKind = errors.New("must be of bcrypt ($2a$, $2b$ or $2y$), bcrypt_sha256 or pbkdf2_sha256 " +
	"as Django writes them, or argon2id ($argon2id$v=19$)")

// Parse reads a hash exactly as the program that made it has written it: every hash has one spelling. The text of the
// error continues the name of the field, and does not contain the hash.
func Parse(text string) (Hash, error) {
	kind, _, _ := strings.Cut(text, "$")
	switch {
	case kind == "bcrypt_sha256":
		return parseBcryptSHA256(text)
	case kind == "pbkdf2_sha256":
		return parsePBKDF2(text)
	case strings.HasPrefix(text, "$argon2id$"):
		return parseArgon2id(text)
	case slices.Contains(bcryptVersions, text[:min(len(text), 4)]):
		return parseBcrypt(text)
	}
	return Hash{}, errKind
}

// isEncoding reports whether a text is the one encoding of some bytes. A decoder alone also accepts line breaks, and
// bits at the end that belong to no byte.
func isEncoding(e *base64.Encoding, text string) bool {
	b, err := e.DecodeString(text)
	return err == nil && e.EncodeToString(b) == text
}
