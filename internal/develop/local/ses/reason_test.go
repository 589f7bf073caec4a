package ses

import (
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestReasonThatAMailDidNotGetThrough shows that the last event with the mail's status and a detail gives the reason. A
// mail that got through has no reason, although its events have details.
func TestReasonThatAMailDidNotGetThrough(t *testing.T) {
	events := []Event{
		{Status: "sent"}, {Status: "bounced", Detail: "unknown user"}, {Status: "bounced", Detail: "full"},
		{Status: "delivered", Detail: "250 ok"}, {Status: "bounced"},
	}
	for status, want := range map[string]string{
		"": "", "sent": "", "delivered": "", "bounced": "full", "complained": "",
	} {
		expect.Equal(t, reason(events, status), want, status)
	}
}
