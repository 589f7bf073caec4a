package user_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"frontdesk/internal/base/execution"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/user"
)

// TestPasswordHash shows which costs a function starts with: only those that a hash can express.
func TestPasswordHash(t *testing.T) {
	t.Setenv("TABLE_NAME", "table")
	for text, want := range map[string][3]uint32{
		"":                 {19456, 2, 1},
		"m=7168,t=5,p=1":   {7168, 5, 1},
		"m=65536,t=3,p=4":  {65536, 3, 4},
		"m=8,t=1,p=1":      {8, 1, 1},
		"m=31,t=1,p=4":     {}, // argon2id takes 8 KiB for each thread
		"m=8,t=0,p=1":      {},
		"m=8,t=1,p=0":      {},
		"m=8,t=1,p=256":    {},
		"m=8,t=1,p=1 ":     {},
		"m=08,t=1,p=1":     {},
		"m=8,t=1,p=1,x=2":  {},
		"t=1,m=8,p=1":      {},
		"m=8":              {},
		"m=-8,t=1,p=1":     {},
		"m=99999999999999": {},
	} {
		t.Setenv("PASSWORD_HASH", text)
		service, err := user.FromEnvironment(execution.Lambda)
		if want == ([3]uint32{}) {
			if err == nil {
				t.Errorf("%q is taken", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		p := service.HashParams
		if got := [3]uint32{p.Memory, p.Iterations, uint32(p.Parallelism)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestCommonPasswords shows that the list is sorted, has no password twice, and none that another rule refuses anyway.
func TestCommonPasswords(t *testing.T) {
	before := ""
	for line := range strings.Lines(user.CommonPasswords) {
		password := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(password, "#") {
			continue
		}
		expect.AtLeast(t, utf8.RuneCountInString(password), user.MinPassword, "length of "+password)
		// Passwords are looked up in lower case.
		expect.Equal(t, password, strings.ToLower(password))
		if password <= before {
			t.Errorf("%q follows %q, want them in their order", password, before)
		}
		before = password
	}
	if before == "" {
		t.Error("the list is empty")
	}
}
