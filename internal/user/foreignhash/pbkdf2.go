package foreignhash

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxRounds is the largest number of rounds that is accepted. A million takes about 0.3 s of a function with 1,024 MB.
const maxRounds = 1_000_000

var errPBKDF2 = errors.New("must be of pbkdf2_sha256 as Django writes it: pbkdf2_sha256, the rounds, the salt and " +
	"the hash in base64, with a $ between them")

// parsePBKDF2 reads what Django's PBKDF2PasswordHasher writes. The salt is text and is used as it is. A password with a
// NUL is refused after the same work, because HMAC treats "a\0" like "a" (RFC 2104 section 2).
func parsePBKDF2(text string) (Hash, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 4 {
		return Hash{}, errPBKDF2
	}
	salt, encoded := parts[2], parts[3]
	rounds, err := strconv.Atoi(parts[1])
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && rounds > maxRounds:
		return Hash{}, fmt.Errorf("is of pbkdf2_sha256 with too many rounds (maximum is %d)", maxRounds)
	case err != nil || rounds < 1 || strconv.Itoa(rounds) != parts[1]:
		return Hash{}, errPBKDF2
	case len(salt) < minSalt || len(salt) > maxPart:
		return Hash{}, fmt.Errorf("has a salt of %d bytes (from %d to %d are taken)", len(salt), minSalt, maxPart)
	case !isEncoding(base64.StdEncoding, encoded):
		return Hash{}, errPBKDF2
	}
	key, _ := base64.StdEncoding.DecodeString(encoded)
	if len(key) != sha256.Size {
		return Hash{}, errPBKDF2
	}
	return Hash{"pbkdf2_sha256", func(password string) bool {
		other, err := pbkdf2.Key(sha256.New, password, []byte(salt), rounds, sha256.Size)
		return err == nil && subtle.ConstantTimeCompare(key, other) == 1 && !strings.Contains(password, "\x00")
	}}, nil
}
