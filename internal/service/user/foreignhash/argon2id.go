package foreignhash

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/alexedwards/argon2id"
)

// The costliest hash that is accepted, in KiB. It keeps a sign-in within the function's time and memory. The time grows
// with the memory and with the passes over it, so a hash of little memory may have many.
const (
	maxMemory = 128 << 10
	maxPassed = 192 << 10 // the memory times the passes
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
	case uint64(p.Memory)*uint64(p.Iterations) > maxPassed:
		return Hash{}, fmt.Errorf("is of argon2id with %d passes over %d KiB of memory (maximum is %d)",
			p.Iterations, p.Memory, maxPassed/p.Memory)
	case len(salt) < minSalt || len(salt) > maxPart:
		return Hash{}, errSalt(salt)
	case len(key) < minKey || len(key) > maxPart:
		return Hash{}, fmt.Errorf("is of %d bytes (from %d to %d are taken)", len(key), minKey, maxPart)
	}
	return Hash{"argon2id", func(password string) bool {
		ok, err := argon2id.ComparePasswordAndHash(password, text)
		return err == nil && ok
	}}, nil
}
