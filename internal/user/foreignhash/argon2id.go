package foreignhash

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/alexedwards/argon2id"
)

// The costliest hash that is accepted. It keeps a sign-in within the function's time and memory.
const (
	maxMemory = 64 << 10 // in KiB
	maxPasses = 3
)

var errArgon2id = errors.New("must be of argon2id as its reference implementation writes it: " +
	"$argon2id$v=19$m=65536,t=3,p=4$, salt, $ and hash, both in base64 without padding")

// parseArgon2id reads what the reference implementation of argon2id writes, and so do PHP and argon2-cffi, which use
// it. https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
func parseArgon2id(text string) (Hash, error) {
	p, salt, key, err := argon2id.DecodeHash(text)
	if err != nil || p.Iterations < 1 || p.Parallelism < 1 || p.Memory < 8*uint32(p.Parallelism) {
		return Hash{}, errArgon2id
	}
	base64 := base64.RawStdEncoding.EncodeToString
	again := fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s",
		p.Memory, p.Iterations, p.Parallelism, base64(salt), base64(key))
	switch {
	case again != text:
		return Hash{}, errArgon2id
	case p.Memory > maxMemory:
		return Hash{}, fmt.Errorf("is of argon2id with %d KiB of memory (maximum is %d)", p.Memory, maxMemory)
	case p.Iterations > maxPasses:
		return Hash{}, fmt.Errorf("is of argon2id with %d passes (maximum is %d)", p.Iterations, maxPasses)
	case len(salt) < minSalt || len(salt) > maxPart:
		return Hash{}, fmt.Errorf("has a salt of %d bytes (from %d to %d are taken)", len(salt), minSalt, maxPart)
	case len(key) < minKey || len(key) > maxPart:
		return Hash{}, fmt.Errorf("is of %d bytes (from %d to %d are taken)", len(key), minKey, maxPart)
	}
	return Hash{"argon2id", func(password string) bool {
		ok, err := argon2id.ComparePasswordAndHash(password, text)
		return err == nil && ok
	}}, nil
}
