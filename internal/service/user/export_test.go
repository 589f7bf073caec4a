package user

import (
	"frontdesk/internal/base/id"
	"frontdesk/internal/service/user/attempts"
)

// Limits that the tests compare the endpoints with.
const (
	LoginLife        = loginLife
	MaxFailures      = attempts.MaxFromNetwork
	MaxFailuresOfAll = attempts.Max
	FailureWindow    = attempts.Window
)

// HashParams are the default cost of a password. DummyHash is what a password is compared with when there is no user.
var (
	HashParams = hashParams
	DummyHash  = new(Service).DummyHash()
)

// CommonPasswords are those that nobody may set.
var CommonPasswords = commonPasswords

// SetIDs makes a service take the ids of its users from somewhere else.
func (s *Service) SetIDs(ids func() id.ID) { s.ids = ids }

// SetHasher makes a service hash passwords, and compare them, in another way.
func (s *Service) SetHasher(
	hash func(password string) (string, error), matches func(password, hash string) (bool, error),
) {
	s.hasher = &hasher{hash, matches}
}
