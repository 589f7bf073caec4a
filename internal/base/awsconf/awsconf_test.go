package awsconf

import (
	"testing"

	"frontdesk/internal/base/execution"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// TestRegionAndCredentialsComeFromTheEnvironment uses the variables that Lambda sets.
func TestRegionAndCredentialsComeFromTheEnvironment(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-north-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "session")

	cfg := New(execution.Lambda, Service{Name: "DYNAMODB"})
	got, err := cfg.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, cfg.Region, "eu-north-1")
	expect.Equal(t, got.AccessKeyID, "AKID")
	expect.Equal(t, got.SecretAccessKey, "secret")
	expect.Equal(t, got.SessionToken, "session")
}

// TestTheServicesOwnEndpointCountsFirst shows which of the two variables selects the endpoint.
func TestTheServicesOwnEndpointCountsFirst(t *testing.T) {
	for name, c := range map[string]struct{ own, other, all, want string }{
		"the SDK's where none is set":          {want: ""},
		"the general one":                      {all: "http://all", want: "http://all"},
		"the service's own":                    {own: "http://own", want: "http://own"},
		"the service's own before the general": {own: "http://own", all: "http://all", want: "http://own"},
		"not another service's":                {other: "http://other", want: ""},
		"the general one beside another's own": {other: "http://other", all: "http://all", want: "http://all"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", c.own)
			t.Setenv("AWS_ENDPOINT_URL_SESV2", c.other)
			t.Setenv("AWS_ENDPOINT_URL", c.all)
			if got := aws.ToString(New(execution.Lambda, Service{Name: "DYNAMODB"}).BaseEndpoint); got != c.want {
				t.Errorf("endpoint %q, want %q", got, c.want)
			}
		})
	}
}
