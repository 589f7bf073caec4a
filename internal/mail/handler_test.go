package mail

import "testing"

// TestMessageID is what SES writes into the header, by the region that it is asked in.
func TestMessageID(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{
		"us-east-1": "<0100-a@email.amazonses.com>", "eu-west-1": "<0100-a@eu-west-1.amazonses.com>",
	} {
		if got := messageID(region, "0100-a"); got != want {
			t.Errorf("in %s it is %s", region, got)
		}
	}
}
