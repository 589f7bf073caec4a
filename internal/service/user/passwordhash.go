package user

import (
	"fmt"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user/foreignhash"
)

// foreign precedes a hash from another program in the table. Such a hash comes with a new user. At the user's first
// sign-in by password, ours replaces it.
const foreign = "foreign:"

// Foreign parses what is stored of a password when another program has made the hash. found is false for our
// own hashes.
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

// checkPasswordHash checks the hash of a new user's password. The rules for passwords cannot be checked, because nobody
// knows the password.
func checkPasswordHash(f *api.Faults, d Details) {
	if d.Password != "" {
		f.Add("password_hash", "Password hash can't be given beside a password")
	}
	if _, err := foreignhash.Parse(d.PasswordHash); err != nil {
		f.Add("password_hash", "Password hash %s", err)
	}
}

// storedHash returns what is stored of a new user's password.
func (s *Service) storedHash(d Details) (string, error) {
	if d.PasswordHash != "" {
		return foreign + d.PasswordHash, nil
	}
	return s.hash(d.Password)
}

// Rehash adds to the transaction of a sign-in that our hash of the password replaces a foreign one. The transaction
// fails with unmet when the foreign hash is no longer there. Rehash does nothing when the hash is ours.
func (s *Service) Rehash(tx *table.Tx, o Owner, password string, unmet error) error {
	if !strings.HasPrefix(o.Password, foreign) {
		return nil
	}
	hash, err := s.hash(password)
	if err != nil {
		return err
	}
	tx.Update(tx.Table().UpdateItem(o.Key).Set("password", hash).If("'password' = ?", o.Password), unmet)
	return nil
}
