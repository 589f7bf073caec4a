package user

import "github.com/alexedwards/argon2id"

// hashParams is what a password costs to hash: 19 MiB, twice, on one core.
// https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id
var hashParams = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// dummyHash has the parameters of every user's hash and the key zero, which is the key of no password. Where there is
// no hash to compare with, a password is compared with this one, so that every refusal costs the same.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// hasher hashes passwords and compares them.
type hasher struct {
	hash    func(password string) (string, error)
	matches func(password, hash string) (bool, error)
}

// hash is what is stored of a password.
func (s *Service) hash(password string) (string, error) {
	if s.hasher != nil {
		return s.hasher.hash(password)
	}
	return argon2id.CreateHash(password, &hashParams)
}

// matches reports whether a hash is the password's.
func (s *Service) matches(password, hash string) (bool, error) {
	if s.hasher != nil {
		return s.hasher.matches(password, hash)
	}
	return argon2id.ComparePasswordAndHash(password, hash)
}
