// Package foreignhash reads the hashes of passwords that other programs have made, and compares passwords with them.
package foreignhash

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
)

// Hash is the hash that another program has made of a password. Make one by [Parse].
type Hash struct {
	Kind    string // bcrypt, bcrypt_sha256, pbkdf2_sha256 or argon2id
	matches func(password string) bool
}

// Matches reports whether the hash is of a password, byte for byte: nothing is normalized, and nothing is cut off. What
// that costs depends on the hash alone, except that long passwords take somewhat longer.
func (h Hash) Matches(password string) bool { return h.matches(password) }

// Bounds of what salts and keys may have, in bytes. Without a salt a digest of the hash would tell the password to
// whoever guesses it.
const (
	minSalt = 8
	minKey  = 16
	maxPart = 64
)

var errKind = errors.New("must be of bcrypt ($2a$, $2b$ or $2y$), bcrypt_sha256 or pbkdf2_sha256 " +
	"as Django writes them, or argon2id ($argon2id$v=19$)")

// Parse reads a hash as the program that made it has written it. A hash has one spelling. The error's text continues
// the name of the field, and does not have the hash.
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

// isEncoding reports whether a text encodes some bytes. A decoder alone takes line breaks too, and bits that no byte
// has.
func isEncoding(e *base64.Encoding, text string) bool {
	b, err := e.DecodeString(text)
	return err == nil && e.EncodeToString(b) == text
}
