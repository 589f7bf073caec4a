package deployment_test

import (
	"encoding/json"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// counts checks which metrics the filters make of a line of a log group. Want is their names, separated by spaces.
func (read template) counts(t testing.TB, group, line, want string) {
	t.Helper()
	var decoded map[string]any
	if err := json.Unmarshal([]byte(line), &decoded); err != nil {
		t.Fatalf("the line %s: %v", line, err)
	}
	if _, ours := decoded["msg"]; ours {
		relevel(decoded)
	}
	var got []string
	for _, f := range read.resources["AWS::Logs::MetricFilter"] {
		if f.LogGroupName != group || !matches(t, f.FilterPattern, decoded) {
			continue
		}
		for _, m := range f.MetricTransformations {
			got = append(got, m.MetricName)
			value, _ := property(decoded, m.MetricValue)
			if _, number := value.(float64); m.MetricValue != "1" && !number {
				t.Errorf("%s is no number in %s", m.MetricValue, line)
			}
		}
	}
	slices.Sort(got)
	if strings.Join(got, " ") != want {
		t.Errorf("counted as %q, want %q: %s", got, want, line)
	}
}

// relevel changes a function's line as Lambda does if its timestamp is missing, or is not in the form of RFC 3339.
// https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
func relevel(line map[string]any) {
	at, _ := line["timestamp"].(string)
	if _, err := time.Parse(time.RFC3339, at); err != nil {
		line["level"], line["timestamp"] = "INFO", time.Now().UTC().Format(time.RFC3339)
	}
}

// TestLinesOfAWS: the filters count the lines that AWS writes, as its documentation shows them.
// https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
func TestLinesOfAWS(t *testing.T) {
	read := readTemplate(t)
	platform := func(kind, status string) string {
		return `{"time":"2026-10-12T00:01:15.000Z","type":"platform.` + kind + `","record":{"requestId":"6d68ca91",` +
			`"metrics":{"durationMs":693.92,"maxMemoryUsedMB":84},"status":"` + status + `"}}`
	}
	access := func(status, integrationStatus string) string {
		values := strings.NewReplacer("$context.status", status, "$context.integrationStatus", integrationStatus)
		return values.Replace(read.resources["AWS::Serverless::HttpApi"][0].AccessLogSettings.Format)
	}
	for name, c := range map[string]struct{ group, line, want string }{
		"success":                {"LogGroup", platform("report", "success"), ""},
		"crash":                  {"LogGroup", platform("report", "error"), "Crashes"},
		"failure":                {"LogGroup", platform("report", "failure"), "Crashes"},
		"out of time":            {"LogGroup", platform("report", "timeout"), "Crashes"},
		"crash's other line":     {"LogGroup", platform("runtimeDone", "error"), ""},
		"start":                  {"LogGroup", platform("initReport", "success"), ""},
		"start that crashed":     {"LogGroup", platform("initReport", "error"), "Crashes"},
		"start out of time":      {"LogGroup", platform("initReport", "timeout"), "Crashes"},
		"answered":               {"ApiLogGroup", access("200", "200"), ""},
		"500 of a function":      {"ApiLogGroup", access("500", "200"), "Errors"},
		"503 of a function":      {"ApiLogGroup", access("503", "200"), "Unavailable"},
		"crashed function":       {"ApiLogGroup", access("500", "200"), "Errors"},
		"no permission to call":  {"ApiLogGroup", access("500", "403"), "Errors"},
		"no answer in 30 s":      {"ApiLogGroup", access("503", "-"), "Errors"},
		"Lambda's own failure":   {"ApiLogGroup", access("503", "500"), "Errors"},
		"refused by Lambda":      {"ApiLogGroup", access("503", "429"), "Throttles"},
		"refused by a function":  {"ApiLogGroup", access("429", "200"), ""},
		"refused by API Gateway": {"ApiLogGroup", access("429", "-"), "TooManyRequests"},
	} {
		t.Run(name, func(t *testing.T) { read.counts(t, c.group, c.line, c.want) })
	}
}

// TestOurLines: the filters count the lines that the functions write. Each case calls a function, and may make one
// action fail.
func TestOurLines(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		read, stack := readTemplate(t), fixture.Start(t)
		key := newMailKey(t, stack)
		for name, c := range map[string]struct {
			to          fixture.Target
			fails, want string
		}{
			"mail":               {fixture.To("sendMail"), "", "MailDuration"},
			"mail that is lost":  {fixture.To("sendMail"), "SendEmail", "MailDuration Unsent"},
			"answer of 500":      {fixture.To("sendMail"), "BatchGetItem", "MailDuration"},
			"record that fails":  {fixture.To("sendMail"), "PutItem", "MailDuration Unsent"},
			"list of categories": {fixture.To("listCategories", help), "", "CategoryDuration"},
			"changed category":   {fixture.To("updateCategory", help, 1), "", "CategoryDuration"},
			"page":               {fixture.To("getDocsPage"), "", "OtherDuration"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				stack.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
					// The third call is SendEmail. A record that fails is the one that is written after it.
					if call.Action == c.fails && (call.Action != "PutItem" || call.N > 3) {
						return denied
					}
					return nil
				})
				var body any
				if c.to.Method != http.MethodGet {
					body = `{"key":"` + key +
						`","recipients":[{"email":"b@example.org"}],"subject":"Hi","text":"Hello"}`
				}
				line, _ := call(t, stack, c.to, body)
				read.counts(t, "LogGroup", line, c.want)
			})
		}
	})
}

var help = table.Portal{Account: 1, Slug: "help"}

// TestTheLineOfAStartThatFails: the filters count what a process writes that ends before its first event.
func TestTheLineOfAStartThatFails(t *testing.T) {
	t.Parallel()
	stack := fixture.StartBootstraps(t, edited(t, "TABLE_NAME: !GetAtt TableName.Value", `TABLE_NAME: ""`))
	stack.Call(t, fixture.To("listCategories", help), nil, nil)
	readTemplate(t).counts(t, "LogGroup", localtest.WaitLog(t, stack.Stack, `"msg":"start"`), "Faults")
}

// newMailKey makes a mail key that sends as a@example.com.
func newMailKey(t testing.TB, stack *fixture.Stack) string {
	t.Helper()
	_, key := stack.NewMailKey(t, mailkey.Key{Name: "test", Sender: mail.Address{Address: "a@example.com"}})
	return key
}

// call sends a request, and returns the log line that names it, and its answer.
func call(
	t testing.TB, stack *fixture.Stack, to fixture.Target, body any,
) (line string, answer fixture.Answer) {
	t.Helper()
	answer = stack.Call(t, to, http.Header{"Idempotency-Key": {t.Name()}}, body)
	return localtest.WaitLog(t, stack.Stack, answer.RequestID), answer
}
