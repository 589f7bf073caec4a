package user

import (
	"fmt"
	"strings"

	"frontdesk/internal/api"
	"frontdesk/internal/table"
	"frontdesk/internal/user/foreignhash"
)

// foreign stands in the table before the hash that another program has made of a password. Such a hash comes with a new
// user, and gives way to ours when the user first signs in by the password.
const foreign = "foreign:"

// Foreign is what is stored of a password as the hash that another program has made. It is not found where the hash is
// ours.
func Foreign(stored string) (h foreignhash.Hash, found bool, err error) {
	text, found := strings.CutPrefix(stored, foreign)
	if !found {
		return foreignhash.Hash{}, false, nil
	}
	h, err = foreignhash.Parse(text)
	if err != nil {
		return foreignhash.Hash{}, true, fmt.Errorf("password hash %w", err)
	}
	return h, true, nil
}

// checkPasswordHash holds the hash of a new user's password against the rules. Nobody knows the password, so there are
// none for that.
func checkPasswordHash(f *api.Faults, d Details) {
	if d.Password != "" {
		f.Add("password_hash", "Password hash can't be given beside a password")
	}
	if _, err := foreignhash.Parse(d.PasswordHash); err != nil {
		f.Add("password_hash", "Password hash %s", err)
	}
}

// stored is what is stored of a new user's password.
func (s *Service) stored(d Details) (string, error) {
	if d.PasswordHash != "" {
		return foreign + d.PasswordHash, nil
	}
	return s.hash(d.Password)
}

// Adopt adds to the transaction of a sign-in that our hash of the password takes the place of a foreign one, on
// condition that this one is still there; where it is not, otherwise is the transaction's error. A hash of ours stays.
func (s *Service) Adopt(tx *table.Tx, o Owner, password string, otherwise error) error {
	if !strings.HasPrefix(o.Password, foreign) {
		return nil
	}
	hash, err := s.hash(password)
	if err != nil {
		return err
	}
	tx.Update(tx.Table().UpdateItem(o.Key).Set("password", hash).If("'password' = ?", o.Password), otherwise)
	return nil
}
