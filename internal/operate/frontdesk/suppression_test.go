package main

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/develop/local/ses"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// suppressedView is what suppression show prints as JSON, and what list prints of each address.
type suppressedView struct {
	Address, Reason string
	At              time.Time
	MailID          string `json:"mail_id"`
}

// TestSuppressionOfMany: the command lists more addresses than SES does at once, and selects those of one reason. SES
// lists 1,000 addresses a page at most.
func TestSuppressionOfMany(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		const many = 1100
		for i := range many {
			reason := types.SuppressionListReasonBounce
			if i%11 == 0 {
				reason = types.SuppressionListReasonComplaint
			}
			s := ses.Suppressed{Address: fmt.Sprintf("a%04d@example.org", i), Reason: reason, At: time.Now()}
			if err := o.Account().SES.Suppressed.Put(s); err != nil {
				t.Fatal(err)
			}
		}
		expect.Len(t, printed[[]suppressedView](o, "suppression", "list"), many, "all")
		complaints := printed[[]suppressedView](o, "suppression", "list", "--reason", "complaint")
		expect.Len(t, complaints, many/11, "complaints")
	})
}
