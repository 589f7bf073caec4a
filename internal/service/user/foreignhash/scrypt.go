package foreignhash

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/scrypt"
)

// The costliest hash that is accepted. N and r say how much memory a pass goes through, and p how many passes there
// are. The work before and after the passes grows with r and p alone, so each of the two has a bound of its own.
const (
	maxScryptBlock  = 32      // r
	maxScryptPasses = 16      // p
	maxScrypt       = 1 << 19 // N times r times p; 128 bytes each are 64 MiB
)

var errScrypt = errors.New("must be of scrypt as Werkzeug writes it (scrypt:32768:8:1$salt$hash, the hash in " +
	"hexadecimal digits), or as Kratos writes Firebase's ($firescrypt$ln=14,r=8,p=1$salt$hash$separator$key, " +
	"in base64)")

// scryptCost is the cost of a hash (RFC 7914 section 2).
type scryptCost struct{ n, r, p int }

// check refuses a cost that is none, one that is too high, and a salt whose length is not taken.
func (c scryptCost) check(salt []byte) error {
	switch {
	case c.n < 2 || c.n&(c.n-1) != 0 || c.r < 1 || c.p < 1:
		return errScrypt
	case c.r > maxScryptBlock:
		return fmt.Errorf("is of scrypt with r=%d (maximum is %d)", c.r, maxScryptBlock)
	case c.p > maxScryptPasses:
		return fmt.Errorf("is of scrypt with p=%d (maximum is %d)", c.p, maxScryptPasses)
	case c.n > maxScrypt/c.r/c.p:
		return fmt.Errorf("is of scrypt with the cost %d:%d:%d (maximum is 64 MiB, 128 bytes times all three)",
			c.n, c.r, c.p)
	case len(salt) < minSalt || len(salt) > maxPart:
		return errSalt(salt)
	}
	return nil
}

// matches derives a key and compares it. A password with a NUL is refused after the same work, because scrypt begins
// with HMAC, which treats "a\0" like "a" (RFC 2104 section 2).
func (c scryptCost) matches(password string, salt []byte, length int, isRight func(key []byte) bool) bool {
	key, err := scrypt.Key([]byte(password), salt, c.n, c.r, c.p, length)
	return err == nil && isRight(key) && !strings.Contains(password, "\x00")
}

// werkzeugKey is the length of Werkzeug's keys, in bytes.
const werkzeugKey = 64

// parseWerkzeug reads what Werkzeug's generate_password_hash writes. The salt is text and is used as it is.
func parseWerkzeug(text string) (Hash, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 3 {
		return Hash{}, errScrypt
	}
	const format = "scrypt:%d:%d:%d"
	var c scryptCost
	if _, err := fmt.Sscanf(parts[0], format, &c.n, &c.r, &c.p); err != nil {
		return Hash{}, errScrypt
	}
	salt := []byte(parts[1])
	want, err := hex.DecodeString(parts[2])
	if err != nil || len(want) != werkzeugKey || parts[0] != fmt.Sprintf(format, c.n, c.r, c.p) ||
		parts[2] != hex.EncodeToString(want) {
		return Hash{}, errScrypt
	}
	if err := c.check(salt); err != nil {
		return Hash{}, err
	}
	return Hash{"scrypt", func(password string) bool {
		return c.matches(password, salt, werkzeugKey, func(key []byte) bool {
			return subtle.ConstantTimeCompare(key, want) == 1
		})
	}}, nil
}

// parseFirebase reads a hash of Firebase in the notation of Kratos, where each hash has the project's parameters. The
// key encrypts the project's signer key, and the result is the hash. https://github.com/firebase/scrypt
func parseFirebase(text string) (Hash, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 7 {
		return Hash{}, errScrypt
	}
	const format = "ln=%d,r=%d,p=%d"
	var ln uint
	var c scryptCost
	_, err := fmt.Sscanf(parts[2], format, &ln, &c.r, &c.p)
	if err != nil || parts[2] != fmt.Sprintf(format, ln, c.r, c.p) || ln > 62 {
		return Hash{}, errScrypt
	}
	c.n = 1 << ln
	var decoded [4][]byte
	for i, part := range parts[3:] {
		if !isEncoding(base64.StdEncoding, part) {
			return Hash{}, errScrypt
		}
		decoded[i], _ = base64.StdEncoding.DecodeString(part)
	}
	salt, want, separator, signer := decoded[0], decoded[1], decoded[2], decoded[3]
	if len(want) < minKey || len(want) > maxPart || len(signer) != len(want) || len(separator) > maxPart {
		return Hash{}, errScrypt
	}
	if err := c.check(salt); err != nil {
		return Hash{}, err
	}
	salt = append(salt, separator...)
	return Hash{"firescrypt", func(password string) bool {
		return c.matches(password, salt, 32, func(key []byte) bool {
			block, err := aes.NewCipher(key)
			if err != nil {
				return false
			}
			encrypted := make([]byte, len(signer))
			cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(encrypted, signer)
			return subtle.ConstantTimeCompare(encrypted, want) == 1
		})
	}}, nil
}
