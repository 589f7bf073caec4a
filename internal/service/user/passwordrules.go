package user

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/base/api"
)

// checkPassword checks a new password against the rules. users are its user, before and after the change. Attackers
// first try names, addresses and the most used passwords, and they have few guesses, so a short list is enough (NIST SP
// 800-63B-4, 3.1.1.2).
func checkPassword(f *api.Faults, password string, users ...User) {
	password = normalizePassword(password)
	isOwn := func(u User) bool { return isNameOrEmail(password, u) }
	switch n := utf8.RuneCountInString(password); {
	case strings.TrimSpace(password) == "":
		f.Add("password", "Password can't be blank")
	case n < MinPassword:
		f.Add("password", "Password is too short (minimum is %d characters)", MinPassword)
	case n > MaxPassword:
		f.Add("password", "Password is too long (maximum is %d characters)", MaxPassword)
	case slices.ContainsFunc(users, isOwn):
		f.Add("password", "Password must not be the user's name or e-mail address")
	case isCommon(password):
		f.Add("password", "Password is one of those that are used most")
	}
}

// isNameOrEmail reports whether a password in normal form is the user's name, ignoring case, or the user's e-mail
// address, as addresses are compared.
func isNameOrEmail(password string, u User) bool {
	e, err := ParseEmail(password)
	return strings.EqualFold(password, normalizePassword(u.Name)) || err == nil && e.Key() == OwnerKey(u.Email)
}

//go:embed commonpasswords.txt
var commonPasswords string

// isCommon reports whether a password is on the list, ignoring case.
func isCommon(password string) bool {
	for line := range strings.SplitSeq(commonPasswords, "\n") {
		if strings.EqualFold(line, password) {
			return true
		}
	}
	return false
}
