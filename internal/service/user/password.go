package user

import (
	"fmt"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

// hashParams are what hashing a password costs unless PASSWORD_HASH says otherwise: 19 MiB, two passes, one
// thread. https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id
var hashParams = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// parseHashParams reads a [HashCost]: KiB, passes and threads. "" means [hashParams].
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

// HashCost returns the cost as PASSWORD_HASH and stored hashes write it: "m=19456,t=2,p=1".
func HashCost(p argon2id.Params) string {
	return fmt.Sprintf("m=%d,t=%d,p=%d", p.Memory, p.Iterations, p.Parallelism)
}

// DummyHash has the cost of our hashes and the key of zeros, which no password has. When there is no hash to compare a
// password with, it is compared with this one, so that a refusal takes as long as any other.
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

// hasOurCost reports whether a hash of argon2id has the cost, and the sizes of salt and key, of those made now.
func (s *Service) hasOurCost(hash string) bool {
	params, _, _, err := argon2id.DecodeHash(hash)
	return err == nil && *params == s.hashParams()
}

// hasher hashes passwords and compares them. Tests replace it, because a real hash takes 31 ms.
type hasher struct {
	hash    func(password string) (string, error)
	matches func(password, hash string) (bool, error)
}

// normalizePassword returns a password as it is counted, checked and hashed: in Unicode normalization form C (NFC), so
// that letters with accents match from every keyboard. NIST SP 800-63B-4 (3.1.1.2) and RFC 8265 (4.2.2) name this form.
func normalizePassword(password string) string { return norm.NFC.String(password) }

// hash returns what is stored of a password.
func (s *Service) hash(password string) (string, error) {
	password = normalizePassword(password)
	if s.hasher != nil {
		return s.hasher.hash(password)
	}
	params := s.hashParams()
	return argon2id.CreateHash(password, &params)
}

// Matches reports whether a hash belongs to the password, as it was given or in its normal form. Hashes from before
// passwords were normalized belong to passwords as given. A password in normal form takes one comparison. Any other
// takes two when the first does not match, whatever the hash is. A foreign hash is compared once, with the password
// as given.
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
