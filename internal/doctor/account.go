package doctor

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// examineAccount looks at SES's side of the account, in the region.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html
func (d *Doctor) examineAccount(ctx context.Context) []Finding {
	out, err := d.SES.GetAccount(ctx, &sesv2.GetAccountInput{})
	if err != nil {
		return []Finding{unread("SES", "ses:GetAccount", err)}
	}
	return []Finding{examineSandbox(out), examineSending(out), examineQuota(out.SendQuota), examineSuppression(out)}
}

func examineSandbox(a *sesv2.GetAccountOutput) Finding {
	const subject = "SES's sandbox"
	if !a.ProductionAccessEnabled {
		return missing(subject, "aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL "+
			"--website-url https://<your site>", "the account is in it: mail reaches verified addresses alone")
	}
	return right(subject, "the account is out of it")
}

func examineSending(a *sesv2.GetAccountOutput) Finding {
	const subject = "SES's sending"
	switch status := aws.ToString(a.EnforcementStatus); {
	case status == "SHUTDOWN":
		return missing(subject, "read the case that SES opened at the support center", "SES has paused it")
	case !a.SendingEnabled:
		return missing(subject, "aws sesv2 put-account-sending-attributes --sending-enabled",
			"it is paused for the account")
	case status == "PROBATION":
		return advice(subject, "read the case that SES opened at the support center", "it is under review")
	}
	return right(subject, "it is on")
}

func examineQuota(q *types.SendQuota) Finding {
	const subject, service = "SES's quota", "ask for more: aws service-quotas request-service-quota-increase " +
		"--service-code ses --quota-code L-804C8AE8 --desired-value <recipients a day>"
	switch {
	case q == nil:
		return advice(subject, "aws sesv2 get-account", "SES does not tell it")
	case q.Max24HourSend < 0:
		return right(subject, "any number of recipients a day, %.0f a second", q.MaxSendRate)
	}
	left := q.Max24HourSend - q.SentLast24Hours
	says := "%.0f of %.0f recipients are left of 24 hours, %.0f a second"
	switch {
	case left <= 0:
		return missing(subject, service, says, left, q.Max24HourSend, q.MaxSendRate)
	case left < q.Max24HourSend/5:
		return advice(subject, service, says, left, q.Max24HourSend, q.MaxSendRate)
	}
	return right(subject, says, left, q.Max24HourSend, q.MaxSendRate)
}

func examineSuppression(a *sesv2.GetAccountOutput) Finding {
	const subject = "SES's suppression list"
	var reasons []types.SuppressionListReason
	if a.SuppressionAttributes != nil {
		reasons = a.SuppressionAttributes.SuppressedReasons
	}
	for _, reason := range types.SuppressionListReason("").Values() {
		if !slices.Contains(reasons, reason) {
			return missing(subject,
				"aws sesv2 put-account-suppression-attributes --suppressed-reasons BOUNCE COMPLAINT",
				"it leaves out %s: mail goes on to addresses that hurt the account's reputation", reason)
		}
	}
	return right(subject, "it has who bounced and who complained")
}
