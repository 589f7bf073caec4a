package foreignhash

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

// pbkdf2Kind is PBKDF2 with the HMAC of a hash (RFC 8018 section 5.2).
type pbkdf2Kind struct {
	name string
	hash func() hash.Hash
	size int // of a block of the key, in bytes: each block takes all rounds
	// maxRounds is the largest number of rounds that is accepted for a key of one block. It takes as long as bcrypt of
	// the largest cost.
	maxRounds int
}

var (
	pbkdf2SHA256 = pbkdf2Kind{name: "pbkdf2_sha256", hash: sha256.New, size: sha256.Size, maxRounds: 1_500_000}
	pbkdf2SHA512 = pbkdf2Kind{name: "pbkdf2_sha512", hash: sha512.New, size: sha512.Size, maxRounds: 500_000}
)

var errPBKDF2 = errors.New("must be of PBKDF2 as Django, Kratos or passlib write it: pbkdf2_sha256$rounds$salt$hash, " +
	"$pbkdf2-sha256$i=rounds,l=length$salt$hash or $pbkdf2-sha256$rounds$salt$hash, or the same with sha512, " +
	"and a hash of 32 or 64 bytes in base64")

// passlibEncoding is the base64 of passlib and of some LDAP servers: it has a dot in place of the plus, and no padding.
var passlibEncoding = base64.NewEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./").
	WithPadding(base64.NoPadding)

// parseDjango reads what Django's PBKDF2PasswordHasher writes. The salt is text and is used as it is. But Django
// makes salts of letters and digits alone. One that ends with the padding of base64 is as Keycloak exports it: the
// base64 of the bytes.
func (k pbkdf2Kind) parseDjango(text string) (Hash, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 4 || !isEncoding(base64.StdEncoding, parts[3]) {
		return Hash{}, errPBKDF2
	}
	salt := []byte(parts[2])
	if strings.HasSuffix(parts[2], "=") && isEncoding(base64.StdEncoding, parts[2]) {
		salt, _ = base64.StdEncoding.DecodeString(parts[2])
	}
	key, _ := base64.StdEncoding.DecodeString(parts[3])
	return k.newHash(parts[1], salt, key)
}

// parsePHC reads the notation of Kratos, which says the length of the key, and that of passlib.
// https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
// https://passlib.readthedocs.io/en/stable/lib/passlib.hash.pbkdf2_digest.html
func (k pbkdf2Kind) parsePHC(text string) (Hash, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 5 {
		return Hash{}, errPBKDF2
	}
	encoding := passlibEncoding
	rounds, kratos := strings.CutPrefix(parts[2], "i=")
	rounds, length, lengthGiven := strings.Cut(rounds, ",l=")
	if kratos {
		encoding = base64.RawStdEncoding
	}
	if kratos != lengthGiven || !isEncoding(encoding, parts[3]) || !isEncoding(encoding, parts[4]) {
		return Hash{}, errPBKDF2
	}
	salt, _ := encoding.DecodeString(parts[3])
	key, _ := encoding.DecodeString(parts[4])
	if kratos && length != strconv.Itoa(len(key)) {
		return Hash{}, errPBKDF2
	}
	return k.newHash(rounds, salt, key)
}

// newHash returns the hash of those parts. A password with a NUL is refused after the same work, because HMAC treats
// "a\0" like "a" (RFC 2104 section 2).
func (k pbkdf2Kind) newHash(text string, salt, key []byte) (Hash, error) {
	if len(key) != sha256.Size && len(key) != sha512.Size {
		return Hash{}, errPBKDF2
	}
	most := k.maxRounds * k.size / max(k.size, len(key))
	rounds, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && rounds > most:
		return Hash{}, fmt.Errorf("is of %s with too many rounds (maximum is %d for a hash of %d bytes)",
			k.name, most, len(key))
	case err != nil || rounds < 1 || strconv.Itoa(rounds) != text:
		return Hash{}, errPBKDF2
	case len(salt) < minSalt || len(salt) > maxPart:
		return Hash{}, errSalt(salt)
	}
	return Hash{k.name, func(password string) bool {
		other, err := pbkdf2.Key(k.hash, password, salt, rounds, len(key))
		return err == nil && subtle.ConstantTimeCompare(key, other) == 1 && !strings.Contains(password, "\x00")
	}}, nil
}
