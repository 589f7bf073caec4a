package demo

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/prove/expect"
)

// TestConsoleShowsTheDemosCredentials, but not those of AWS. The first mail and the login use them. Variables without
// a value have no row.
func TestConsoleShowsTheDemosCredentials(t *testing.T) {
	d := Tenant{Variables: map[string]string{
		"TABLE_NAME": "t", "MAIL_KEY": "fdm_1", "BASE_URL": "http://127.0.0.1:1", "AWS_SECRET_ACCESS_KEY": "local",
		"ACCOUNT_ID": "7", "PLATFORM_TOKEN": "fdp_1",
	}, Agent: 3}
	shown := d.Console()
	want := []console.Credential{
		{Label: "Base URL", Value: "http://127.0.0.1:1"}, {Label: "Mail key", Value: "fdm_1"},
		{Label: "Platform token", Value: "fdp_1"}, {Label: "Account id", Value: "7"}, {Label: "Table", Value: "t"},
	}
	if !slices.Equal(shown.Credentials, want) {
		t.Errorf("the credentials are %v, want %v", shown.Credentials, want)
	}
	if shown.TestMail == nil {
		t.Fatal("there is no shown.TestMail")
	}
	expect.Equal(t, shown.TestMail.Path, "/sender.php")
	expect.Contains(t, shown.TestMail.Body, `"key": "fdm_1"`)
	expect.Equal(t, shown.Login.Path, "/platform/api/v1/users/3/login")
	expect.Equal(t, shown.Login.Headers["api_access_token"], "fdp_1", "its token")
	for _, part := range []string{"http://127.0.0.1:1/sender.php", `"key": "fdm_1"`} {
		if !strings.Contains(shown.FirstMail, part) {
			t.Errorf("the first mail is %s, without %s", shown.FirstMail, part)
		}
	}
}
