package signin

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user"
)

// credentials are what a user signs in with: a login token, or else a password.
type credentials struct {
	email    user.Email // zero for a malformed address, which no user has
	password string
	token    string
	login    credential.Credential // parsed from token; zero for a malformed one
}

// decodeCredentials reads the request. Only a field that is missing or has a wrong type is an error here. Everything
// else must get the same answer as a wrong password.
func decodeCredentials(r *api.Request) (credentials, error) {
	o, err := user.Object(r)
	if err != nil {
		return credentials{}, err
	}
	email := o.String("email")
	c := credentials{password: o.String("password"), token: o.String("sso_auth_token")}
	if err := o.Err(); err != nil {
		return credentials{}, err
	}
	var f api.Faults
	if invisible.Blank(email) {
		f.Add("email", "Email can't be blank")
	}
	if c.password == "" && c.token == "" {
		f.Add("password", "Password can't be blank")
	}
	c.email, _ = user.ParseEmail(email)
	c.login, _ = credential.Parse(credential.Login, c.token)
	return c, f.Err()
}

// keys returns the keys of all records that the decision needs. They are read at once, so that every wrong token
// takes the same calls. A login token has the id of its user in it, so the user's record can be read together with
// the token's.
func (c credentials) keys() []table.Key {
	keys := []table.Key{c.email.Key()}
	if u, digest := c.login.ID, c.login.Digest; u != 0 {
		keys = append(keys, table.LoginToken(u, digest), table.UnansweredLogin(u, digest), table.User(u))
	}
	return keys
}
