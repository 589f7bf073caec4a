// Package foreignhash reads hashes of passwords from other programs, and compares passwords with them.
package foreignhash

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Hash is the hash of a password from another program. [Parse] makes one.
type Hash struct {
	Kind    string // bcrypt, bcrypt_sha256, pbkdf2_sha256, pbkdf2_sha512, argon2id, scrypt or firescrypt
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

var errKind = errors.New("must be of bcrypt ($2a$, $2b$ or $2y$), argon2id ($argon2id$v=19$), PBKDF2 " +
	"(pbkdf2_sha256$, pbkdf2_sha512$, $pbkdf2-sha256$ or $pbkdf2-sha512$), scrypt as Werkzeug writes it (scrypt:), " +
	"Firebase's scrypt ($firescrypt$), or bcrypt_sha256 as Django writes it")

func errSalt(salt []byte) error {
	return fmt.Errorf("has a salt of %d bytes (from %d to %d are taken)", len(salt), minSalt, maxPart)
}

// schemes are the beginnings of hashes, and how those hashes are read.
var schemes = []struct {
	begin string
	parse func(text string) (Hash, error)
}{
	{"$2a$", parseBcrypt}, {"$2b$", parseBcrypt}, {"$2y$", parseBcrypt},
	{"$argon2id$", parseArgon2id},
	{"bcrypt_sha256$", parseBcryptSHA256},
	{"scrypt:", parseWerkzeug},
	{"$firescrypt$", parseFirebase},
	{"pbkdf2_sha256$", pbkdf2SHA256.parseDjango}, {"pbkdf2_sha512$", pbkdf2SHA512.parseDjango},
	{"$pbkdf2-sha256$", pbkdf2SHA256.parsePHC}, {"$pbkdf2-sha512$", pbkdf2SHA512.parsePHC},
}

// prefixes are what some programs write before bcrypt or argon2id: Django the first two, Spring those in small letters,
// and LDAP servers and Dovecot the others.
var prefixes = []string{
	"bcrypt$", "argon2", "{bcrypt}", "{argon2}", "{argon2@SpringSecurity_v5_8}",
	"{CRYPT}", "{BLF-CRYPT}", "{ARGON2}", "{ARGON2ID}",
}

// Parse reads a hash exactly as the program that made it has written it: every hash has one spelling, but for a prefix.
// The text of the error continues the name of the field, and does not contain the hash.
func Parse(text string) (Hash, error) {
	for _, prefix := range prefixes {
		if rest, found := strings.CutPrefix(text, prefix); found && strings.HasPrefix(rest, "$") {
			text = rest
			break
		}
	}
	for _, s := range schemes {
		if strings.HasPrefix(text, s.begin) {
			return s.parse(text)
		}
	}
	return Hash{}, errKind
}

// isEncoding reports whether a text is the one encoding of some bytes. A decoder alone also accepts line breaks, and
// bits at the end that belong to no byte.
func isEncoding(e *base64.Encoding, text string) bool {
	b, err := e.DecodeString(text)
	return err == nil && e.EncodeToString(b) == text
}
