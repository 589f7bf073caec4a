package delivery

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
)

// TestMessageID shows the header field that SES writes, which depends on the region.
func TestMessageID(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ region, id, want string }{
		"the first region":         {"us-east-1", "0100-a", "<0100-a@email.amazonses.com>"},
		"any other region":         {"eu-west-1", "0100-a", "<0100-a@eu-west-1.amazonses.com>"},
		"a mail that was not sent": {"eu-west-1", "", ""},
	} {
		ses := SES{client: sesv2.New(sesv2.Options{Region: c.region})}
		if got := ses.MessageID(c.id); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
