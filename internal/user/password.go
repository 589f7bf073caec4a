package user

import (
	"fmt"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

// hashParams is what a password costs to hash unless PASSWORD_HASH says otherwise: 19 MiB, twice, on one core.
// https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id
var hashParams = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// parseHashParams reads a [HashCost]: KiB, passes and threads. "" is [hashParams].
func parseHashParams(s string) (argon2id.Params, error) {
	p := hashParams
	if s == "" {
		return p, nil
	}
	_, err := fmt.Sscanf(s, "m=%d,t=%d,p=%d", &p.Memory, &p.Iterations, &p.Parallelism)
	if err != nil || p.Parallelism < 1 || p.Iterations < 1 || p.Memory < 8*uint32(p.Parallelism) || HashCost(p) != s {
		return p, fmt.Errorf("must be like %s, not %q", HashCost(hashParams), s)
	}
	return p, nil
}

// HashCost is what a password costs as PASSWORD_HASH and hashes say it: "m=19456,t=2,p=1".
func HashCost(p argon2id.Params) string {
	return fmt.Sprintf("m=%d,t=%d,p=%d", p.Memory, p.Iterations, p.Parallelism)
}

// DummyHash has the cost of every hash of ours and the key zero, which is the key of no password. Where there is no
// hash to compare with, a password is compared with this one, so that every refusal costs the same as one of a hash of
// ours.
func (s *Service) DummyHash() string {
	return "$argon2id$v=19$" + HashCost(s.hashParams()) +
		"$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
}

func (s *Service) hashParams() argon2id.Params {
	if s.HashParams == (argon2id.Params{}) {
		return hashParams
	}
	return s.HashParams
}

// hasher hashes passwords and compares them.
type hasher struct {
	hash    func(password string) (string, error)
	matches func(password, hash string) (bool, error)
}

// normalizePassword is a password as it is counted, held against the rules, and hashed: in Unicode's normalization form
// C, so that it does not matter on which machine its letters with accents were typed. NIST SP 800-63B-4 (3.1.1.2) and
// RFC 8265 (4.2.2) name this form.
func normalizePassword(password string) string { return norm.NFC.String(password) }

// hash is what is stored of a password.
func (s *Service) hash(password string) (string, error) {
	password = normalizePassword(password)
	if s.hasher != nil {
		return s.hasher.hash(password)
	}
	params := s.hashParams()
	return argon2id.CreateHash(password, &params)
}

// Matches reports whether a hash is the password's, as it was given or in its normal form. Hashes from before passwords
// were normalized are of passwords as they were given. A password in its normal form takes one hash. Any other takes
// two where the first does not match, whatever the hash is. A foreign hash is compared once, with the password as it
// was given.
func (s *Service) Matches(password, hash string) (bool, error) {
	if h, found, err := Foreign(hash); found {
		return err == nil && h.Matches(password), err
	}
	ok, err := s.compare(password, hash)
	if normal := normalizePassword(password); !ok && err == nil && normal != password {
		return s.compare(normal, hash)
	}
	return ok, err
}

func (s *Service) compare(password, hash string) (bool, error) {
	if s.hasher != nil {
		return s.hasher.matches(password, hash)
	}
	return argon2id.ComparePasswordAndHash(password, hash)
}
