package foreignhash

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/bcrypt"
)

const (
	maxBcryptCost = 12 // binary logarithm of the number of rounds
	maxBcrypt     = 72 // bytes of a password; bcrypt ignores the rest
)

// bcryptEncoding is bcrypt's own base64: crypt(3) has another alphabet, and no padding.
var bcryptEncoding = base64.NewEncoding("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789").
	WithPadding(base64.NoPadding)

// bcryptVersions are the prefixes of bcrypt hashes from ruby-bcrypt, OpenBSD and PHP. The three mean the same: the
// program has none of the faults of earlier ones.
var bcryptVersions = []string{"$2a$", "$2b$", "$2y$"}

var errBcrypt = errors.New("must be of bcrypt as its programs write it: $2b$, a cost of two digits, $, " +
	"22 characters of salt and 31 of hash")

// parseBcrypt reads a bcrypt hash as programs write it.
func parseBcrypt(text string) (Hash, error) {
	if len(text) != 60 || !slices.Contains(bcryptVersions, text[:4]) || text[6] != '$' ||
		!isEncoding(bcryptEncoding, text[7:29]) || !isEncoding(bcryptEncoding, text[29:]) {
		return Hash{}, errBcrypt
	}
	cost, err := strconv.Atoi(text[4:6])
	switch {
	case err != nil || cost < bcrypt.MinCost || fmt.Sprintf("%02d", cost) != text[4:6]:
		return Hash{}, errBcrypt
	case cost > maxBcryptCost:
		return Hash{}, fmt.Errorf("is of bcrypt with the cost %d (maximum is %d)", cost, maxBcryptCost)
	}
	return Hash{"bcrypt", func(password string) bool { return bcryptMatches(text, password) }}, nil
}

// bcryptMatches refuses, after the same work, two kinds of passwords that bcrypt confuses with others. Of a password
// beyond 72 bytes, bcrypt takes only the first 72. And bcrypt repeats a password with a NUL after it, so "a" becomes
// "a\0a\0", and "a\0a" becomes the same.
func bcryptMatches(hash, password string) bool {
	ok := bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
	return ok && len(password) <= maxBcrypt && !strings.Contains(password, "\x00")
}

// parseBcryptSHA256 reads what Django's BCryptSHA256PasswordHasher writes: bcrypt of the password's SHA-256 in
// hexadecimal digits. So a password may have more than 72 bytes.
func parseBcryptSHA256(text string) (Hash, error) {
	h, err := parseBcrypt(strings.TrimPrefix(text, "bcrypt_sha256$"))
	if err != nil {
		return Hash{}, err
	}
	return Hash{"bcrypt_sha256", func(password string) bool {
		digest := sha256.Sum256([]byte(password))
		return h.matches(hex.EncodeToString(digest[:]))
	}}, nil
}
