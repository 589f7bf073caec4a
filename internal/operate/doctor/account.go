package doctor

import (
	"cmp"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// examineAccount examines SES's settings of the account, in the region.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html
func (d *Doctor) examineAccount(ctx context.Context) []Finding {
	out, err := d.SES.GetAccount(ctx, &sesv2.GetAccountInput{})
	if err != nil {
		return []Finding{unread("SES", "ses:GetAccount", err)}
	}
	return []Finding{
		d.examineSandbox(out),
		d.examineSending(out),
		d.examineQuota(out.SendQuota),
		d.examineSuppression(out),
		d.examinePlan(out.PricingAttributes),
	}
}

// https://docs.aws.amazon.com/ses/latest/dg/request-production-access.html
func (d *Doctor) examineSandbox(a *sesv2.GetAccountOutput) Finding {
	const subject, says = "SES's sandbox", "the account is in it: mail only reaches verified addresses"
	if a.ProductionAccessEnabled {
		return right(subject, "the account is out of it")
	}
	var review types.ReviewDetails
	if a.Details != nil && a.Details.ReviewDetails != nil {
		review = *a.Details.ReviewDetails
	}
	where := ""
	if review.CaseId != nil {
		where = " in case " + *review.CaseId + " of the support center"
	}
	switch review.Status {
	case types.ReviewStatusPending:
		return missing(subject, do("wait for AWS's answer"+where), says+". A request for production access is pending")
	case types.ReviewStatusDenied:
		return missing(subject, do("answer AWS"+where), says+". AWS has denied production access")
	}
	return missing(subject, d.aws("sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL "+
		"--website-url 'https://<your site>'"), says)
}

// examineSending reports whether SES sends at all: AWS may have paused the account, or put it under review.
func (d *Doctor) examineSending(a *sesv2.GetAccountOutput) Finding {
	const subject = "SES's sending"
	switch status := aws.ToString(a.EnforcementStatus); {
	case status == "SHUTDOWN":
		return missing(subject, do("read the case that SES opened at the support center"), "SES has paused it")
	case !a.SendingEnabled:
		return missing(subject, d.aws("sesv2 put-account-sending-attributes --sending-enabled"),
			"it is paused for the account")
	case status == "PROBATION":
		return advice(subject, do("read the case that SES opened at the support center"), "it is under review")
	}
	return right(subject, "it is on")
}

// examineQuota advises to ask for a higher quota when less than a fifth of it is left. SES counts recipients, in the
// last 24 hours; a negative maximum means no limit.
func (d *Doctor) examineQuota(q *types.SendQuota) Finding {
	const subject = "SES's quota"
	more := d.aws("service-quotas request-service-quota-increase --service-code ses --quota-code L-804C8AE8 " +
		"--desired-value '<recipients a day>'").after("ask for more")
	switch {
	case q == nil:
		return advice(subject, d.aws("sesv2 get-account"), "SES does not tell it")
	case q.Max24HourSend < 0:
		return right(subject, "any number of recipients a day, %.0f a second", q.MaxSendRate)
	}
	remaining := q.Max24HourSend - q.SentLast24Hours
	says := "%.0f of %.0f recipients are left of 24 hours, %.0f a second"
	switch {
	case remaining <= 0:
		return missing(subject, more, says, remaining, q.Max24HourSend, q.MaxSendRate)
	case remaining < q.Max24HourSend/5:
		return advice(subject, more, says, remaining, q.Max24HourSend, q.MaxSendRate)
	}
	return right(subject, says, remaining, q.Max24HourSend, q.MaxSendRate)
}

// examineSuppression wants every reason that SES knows, today BOUNCE and COMPLAINT: mail to such addresses harms the
// account's reputation.
func (d *Doctor) examineSuppression(a *sesv2.GetAccountOutput) Finding {
	const subject = "SES's suppression list"
	var reasons []types.SuppressionListReason
	if a.SuppressionAttributes != nil {
		reasons = a.SuppressionAttributes.SuppressedReasons
	}
	for _, reason := range types.SuppressionListReason("").Values() {
		if !slices.Contains(reasons, reason) {
			return missing(subject,
				d.aws("sesv2 put-account-suppression-attributes --suppressed-reasons BOUNCE COMPLAINT"),
				"it leaves out %s: mail goes on to addresses that hurt the account's reputation", reason)
		}
	}
	return right(subject, "it has who bounced and who complained")
}

// examinePlan reports the price plan of the account in the region. New accounts begin with ESSENTIALS. The first
// change of that takes effect at once, any other from the next month on.
// https://docs.aws.amazon.com/ses/latest/dg/pricing-plans.html
func (d *Doctor) examinePlan(p *types.PricingAttributes) Finding {
	const subject, none = "SES's price plan", types.PricingPlanNone
	switch {
	case p == nil:
		return right(subject, "SES does not tell it")
	case p.NextPlan == none:
		return right(subject, "%s until the end of the month, then none", p.CurrentPlan)
	case cmp.Or(p.CurrentPlan, none) == none:
		return right(subject, "none: in us-east-1 1,000 mails cost $0.10")
	}
	says := "%s, which costs more for each mail than to have none"
	if p.CurrentPlan == types.PricingPlanEssentials {
		says = "%s: in us-east-1 1,000 mails cost $0.16, without a plan $0.10"
	}
	return advice(subject, d.aws("sesv2 put-account-pricing-attributes --plan NONE"), says, p.CurrentPlan)
}
