package deployment_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// Answers of SES. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors and
// https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html
var (
	paused = awsproxy.Refuse(400, "SendingPausedException", "Email sending has been disabled for account.")
	quota  = awsproxy.Refuse(429, "TooManyRequestsException", "Daily message quota exceeded.")
	denied = awsproxy.Refuse(400, "AccessDeniedException", "") // DynamoDB answers the same; the SDK does not retry it
	bad    = awsproxy.Refuse(400, "BadRequestException", "Illegal address")
)

// outage is something that goes wrong with a mail: what the log says of it, what the filters count, and what the
// client gets.
type outage struct {
	edit       []string          // of the template: old, new
	faults     []*awsproxy.Fault // of SES's answers: the first of the first 50 recipients, the last of the others
	recipients int               // 0 for one
	subject    string
	record     bool   // the record cannot be written after SES's answer
	counts     string // metrics that the line counts as instead of an outage; "" for an outage
	code       string // of the line and of the answer
	cause      string // of the line alone
	error      string // of the answer, which is 200
}

// unrecorded is the answer to a mail whose record was left open: nobody knows whether SES took it.
const unrecorded = "the mail may or may not have been sent: " +
	"the request that sent it ended before SES's answer was recorded"

var outages = map[string]outage{
	// Outages of the service.
	"no permission": {
		edit: []string{"[ses:SendEmail, ses:SendRawEmail]", "ses:GetAccount"}, cause: "AccessDeniedException",
		code:  "ses_rejected",
		error: "the mail was not sent: SES does not let the service send it (AccessDeniedException)",
	},
	"unknown credentials": {
		faults: faults(awsproxy.Refuse(403, "UnrecognizedClientException", "The security token is invalid.")),
		cause:  "UnrecognizedClientException",
		code:   "ses_rejected",
		error:  "the mail was not sent: SES does not let the service send it (UnrecognizedClientException)",
	},
	"expired credentials": {
		faults: faults(awsproxy.Refuse(403, "ExpiredTokenException", "The token is expired.")),
		cause:  "ExpiredTokenException",
		code:   "ses_rejected",
		error:  "the mail was not sent: SES does not let the service send it (ExpiredTokenException)",
	},
	"paused": {
		faults: faults(paused), cause: "SendingPausedException",
		code: "ses_rejected",
		error: "the mail was not sent: SES refused it: SendingPausedException: " +
			"Email sending has been disabled for account.",
	},
	"suspended": {
		faults: faults(awsproxy.Refuse(400, "AccountSuspendedException", "Suspended.")),
		cause:  "AccountSuspendedException",
		code:   "ses_rejected",
		error:  "the mail was not sent: SES refused it: AccountSuspendedException: Suspended.",
	},
	"sandbox, or an identity that is not verified": {
		faults: faults(awsproxy.Refuse(400, "MessageRejected", "Email address is not verified. The following "+
			"identities failed the check in region US-EAST-1: b0@example.org")),
		cause: "not verified",
		code:  "ses_rejected",
		error: "the mail was not sent: SES refused it: MessageRejected: Email address is not verified. The following " +
			"identities failed the check in region US-EAST-1: b0@example.org",
	},
	"MAIL FROM domain that is not verified": {
		faults: faults(awsproxy.Refuse(400, "MailFromDomainNotVerifiedException", "Not verified.")),
		cause:  "MailFromDomainNotVerifiedException",
		code:   "ses_rejected",
		error:  "the mail was not sent: SES refused it: MailFromDomainNotVerifiedException: Not verified.",
	},
	"no configuration set": {
		faults: faults(awsproxy.Refuse(404, "NotFoundException", "Configuration set news does not exist.")),
		cause:  "NotFoundException",
		code:   "ses_rejected",
		error: "the mail was not sent: SES refused it: NotFoundException: " +
			"Configuration set news does not exist.",
	},
	"error that is new": {
		faults: faults(awsproxy.Refuse(400, "NewException", "New.")), cause: "NewException",
		code:  "ses_rejected",
		error: "the mail was not sent: SES refused it: NewException: New.",
	},
	"daily quota": {
		faults: faults(quota), cause: "daily quota",
		code:  "ses_unavailable",
		error: "the mail was not sent: SES's quota for the day is used up",
	},
	"throttled to the end": {
		faults: faults(awsproxy.Throttled), cause: "throttled",
		code:  "ses_unavailable",
		error: "the mail was not sent: SES is asked too often at the moment",
	},
	"unreachable": {
		edit:  []string{`AWS_ENDPOINT_URL_SESV2: ""`, "AWS_ENDPOINT_URL_SESV2: http://127.0.0.1:1"},
		cause: "unreachable", code: "ses_unavailable", error: "the mail was not sent: SES cannot be reached",
	},
	"no recipient, for an address and for the quota": {
		faults: faults(bad, quota), recipients: 51, cause: "daily quota",
		code:  "ses_rejected",
		error: "the mail was not sent: SES refused it: BadRequestException: Illegal address",
	},

	"no time left": {
		edit: []string{"Timeout: 29", "Timeout: 3"}, cause: "late",
		code:  "ses_unavailable",
		error: "the mail was not sent: SES could not be asked within 20s",
	},

	// Nobody knows whether SES took the mail.
	"internal error of SES": {
		faults: faults(awsproxy.ServerError), cause: "lost",
		code:  "unknown_outcome",
		error: "the mail may or may not have been sent: SES answered 500",
	},
	"lost answer": {
		faults: faults(awsproxy.CutAfter), cause: "lost",
		code:  "unknown_outcome",
		error: "the mail may or may not have been sent: the connection to SES was lost",
	},
	"answer that is not recorded": {
		record: true, cause: "died", code: "unknown_outcome", error: unrecorded,
	},
	"refusal that is not recorded": {
		faults: faults(bad), record: true, cause: "died", code: "unknown_outcome", error: unrecorded,
	},
	"answer too late": {
		faults: faults(awsproxy.Delay(time.Minute)), cause: "lost",
		code:  "unknown_outcome",
		error: "the mail may or may not have been sent: SES did not answer in time",
	},

	// Only some of the recipients got the mail.
	"some, and then the quota": {
		faults: faults(nil, quota), recipients: 51, cause: "partly, daily quota",
		code:  "partly_sent",
		error: "the mail reached 50 of 51 recipients; it was not sent to 1: SES's quota for the day is used up",
	},
	"some, and others unknown": {
		faults: faults(nil, awsproxy.CutAfter), recipients: 51, cause: "partly, lost",
		code: "unknown_outcome",
		error: "the mail reached 50 of 51 recipients; it may or may not have been sent to 1: " +
			"the connection to SES was lost",
	},
	"some, and others are refused": {
		faults: faults(nil, bad), recipients: 51, cause: "partly, BadRequestException",
		code: "partly_sent",
		error: "the mail reached 50 of 51 recipients; it was not sent to 1: " +
			"SES refused it: BadRequestException: Illegal address",
	},

	// Faults of the mail itself: no outage.
	"address that SES refuses": {
		faults: faults(bad), counts: "MailDuration", cause: "BadRequestException",
		code:  "ses_rejected",
		error: "the mail was not sent: SES refused it: BadRequestException: Illegal address",
	},
	"content that SES refuses": {
		faults: faults(awsproxy.Refuse(400, "MessageRejected", "Address blacklisted.")),
		counts: "MailDuration", cause: "MessageRejected",
		code:  "ses_rejected",
		error: "the mail was not sent: SES refused it: MessageRejected: Address blacklisted.",
	},
	"against a rule": {
		subject: `a\nb`, counts: "MailDuration", code: "invalid", error: "subject must not contain CR, LF or NUL",
	},
}

// faults lists SES's answers to the groups of a mail; nil is a success.
func faults(f ...*awsproxy.Fault) []*awsproxy.Fault { return f }

// TestOutages: the alarm hears of each outage once. The client and the log learn as much as in the cases above, and
// no more.
func TestOutages(t *testing.T) {
	t.Parallel()
	read := readTemplate(t)
	localtest.Simulate(t, func(t *testing.T) {
		deployed := fixture.Start(t)
		for name, c := range outages {
			localtest.Case(t, name, func(t testing.TB) {
				stack := deployed
				if c.edit != nil {
					stack = fixture.Start(t, edited(t, c.edit...))
				}
				line, answer := call(t, stack, fixture.To("sendMail"), c.happen(t, stack))
				read.counts(t, "LogGroup", line, cmp.Or(c.counts, "MailDuration Unsent"))
				level := "ERROR"
				if c.counts == "MailDuration" {
					level = "INFO"
				}
				var logged struct{ Level, Outcome, Cause, Code string }
				if err := json.Unmarshal([]byte(line), &logged); err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, logged.Level, level)
				expect.Equal(t, logged.Cause, c.cause)
				expect.Equal(t, logged.Code, c.code)
				expect.Equal(t, logged.Outcome, "error")
				expect.Lacks(t, line, "@", "the line names somebody")
				expect.Lacks(t, line, "example", "the line names somebody")
				answer.Is(t, http.StatusOK, fixture.Object{"status": "error", "code": c.code, "error": c.error})
			})
		}
	})
}

// edited changes the template of a stack.
func edited(t testing.TB, oldNew ...string) func(*local.Options) {
	t.Helper()
	path := localtest.EditTemplate(t, oldNew...)
	return func(o *local.Options) { o.Template = path }
}

// happen lets this outage happen to a stack, and returns the body of a mail.
func (c outage) happen(t testing.TB, stack *fixture.Stack) (body string) {
	t.Helper()
	// Two groups are sent at the same time: the recipients of a call tell which group it is for.
	stack.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
		if call.Action == "PutItem" && call.N > 3 && c.record {
			return denied
		}
		if call.Action != "SendEmail" || c.faults == nil {
			return nil
		}
		if strings.Contains(string(call.Body), "b50@") && !strings.Contains(string(call.Body), "b0@") {
			return c.faults[len(c.faults)-1]
		}
		return c.faults[0]
	})
	var to []string
	for i := range max(1, c.recipients) {
		to = append(to, fmt.Sprintf(`{"email":"b%d@example.org"}`, i))
	}
	return fmt.Sprintf(`{"key":%q,"subject":"%s","recipients":[%s],"text":"Hello"}`,
		newMailKey(t, stack), cmp.Or(c.subject, "Hi"), strings.Join(to, ","))
}

// TestOutageOfAMailWhoseProcessEnded: the request that comes next, when the lease of the dead process has ended,
// reports the outage.
func TestOutageOfAMailWhoseProcessEnded(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		body := outage{faults: faults(awsproxy.KillAfter)}.happen(t, stack)
		_, died := call(t, stack, fixture.To("sendMail"), body)
		expect.Equal(t, died.Status, http.StatusInternalServerError)
		line, answer := call(t, stack, fixture.To("sendMail"), body)
		for range 60 {
			if answer.Status != http.StatusConflict {
				break
			}
			time.Sleep(time.Second)
			line, answer = call(t, stack, fixture.To("sendMail"), body)
		}
		readTemplate(t).counts(t, "LogGroup", line, "MailDuration Unsent")
		expect.Contains(t, line, `"code":"unknown_outcome","cause":"died"`, answer.Raw)
	})
}
