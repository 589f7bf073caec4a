package contracttest_test

import (
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
)

// TestTargetsOfOperations: a call names its operation, and the contract says where it goes.
func TestTargetsOfOperations(t *testing.T) {
	t.Parallel()
	const user = "/platform/api/v1/users/{user_id}"
	for rule, c := range map[string]struct {
		operation string
		values    []string
		want      string
		err       string
	}{
		"a path without variables": {"createUser", nil, "POST /platform/api/v1/users", ""},
		"a path with one":          {"updateUser", []string{"7"}, "PATCH /platform/api/v1/users/7", ""},
		"a path with two, in order": {
			"getPublicPortal", []string{"1", "a"}, "GET /public/api/v1/accounts/1/portals/a", "",
		},
		"a value is escaped":        {"getMail", []string{"a/b?c#d%2F e"}, "GET /mails/a%2Fb%3Fc%23d%252F%20e", ""},
		"a value is no variable":    {"getMail", []string{"{mail_id}"}, "GET /mails/%7Bmail_id%7D", ""},
		"the rest of a path":        {"getDocsFile", []string{"mails/a b%2F"}, "GET /docs/mails/a%20b%252F", ""},
		"an operation that is none": {"getUsers", nil, " ", `the contract has no operation "getUsers"`},
		"a value that is missing": {
			"getUser", nil, " ", "getUser: " + user + " has 1 variables, given are 0 values: []",
		},
		"a value more": {
			"signIn", []string{"7"}, " ", `signIn: /auth/sign_in has 0 variables, given are 1 values: ["7"]`,
		},
		"an empty value": {"getUser", []string{""}, " ", "getUser: the value of {user_id} is empty"},
	} {
		method, path, err := contracttest.Target(c.operation, c.values...)
		expect.Equal(t, method+" "+path, c.want, rule)
		said := ""
		if err != nil {
			said = err.Error()
		}
		expect.Equal(t, said, c.err, rule)
	}
}
