package template_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// counts checks which metrics the filters make of a line of a log group. Want is their names, separated by spaces.
func (read template) counts(t *testing.T, group, line, want string) {
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
	read, stack := readTemplate(t), localtest.Start(t)
	key := newMailKey(t, stack)
	const categories = "/api/v1/accounts/1/portals/help/categories"
	for name, c := range map[string]struct{ method, path, fails, want string }{
		"mail":               {"POST", "/sender.php", "", "MailDuration"},
		"mail that is lost":  {"POST", "/sender.php", "SendEmail", "MailDuration Unsent"},
		"answer of 500":      {"POST", "/sender.php", "BatchGetItem", "MailDuration"},
		"record that fails":  {"POST", "/sender.php", "PutItem", "MailDuration Unsent"},
		"list of categories": {"GET", categories, "", "CategoryDuration"},
		"changed category":   {"PUT", categories + "/1", "", "CategoryDuration"},
		"page":               {"GET", "/docs", "", "OtherDuration"},
	} {
		t.Run(name, func(t *testing.T) {
			stack.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
				// The third call is SendEmail. A record that fails is the one that is written after it.
				if call.Action == c.fails && (call.Action != "PutItem" || call.N > 3) {
					return denied
				}
				return nil
			})
			body := `{"key":"` + key + `","recipients":[{"email":"b@example.org"}],"subject":"Hi","text":"Hello"}`
			read.counts(t, "LogGroup", lineOf(t, stack, c.method, c.path, body), c.want)
		})
	}
	t.Run("start that fails", func(t *testing.T) {
		broken := localtest.EditTemplate(t, "TABLE_NAME: !GetAtt TableName.Value", `TABLE_NAME: ""`)
		stack := localtest.Start(t, func(o *local.Options) { o.Template = broken })
		lineOf(t, stack, "GET", categories, "")
		read.counts(t, "LogGroup", localtest.WaitLog(t, stack, `"msg":"start"`), "Faults")
	})
}

// newMailKey makes a mail key that sends as a@example.com.
func newMailKey(t *testing.T, stack *local.Stack) string {
	keys := mailkey.Keys{Table: table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])}
	_, key, err := keys.Create(t.Context(), mailkey.Key{Name: "test", Sender: mail.Address{Address: "a@example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// lineOf sends a request, and returns the log line that names it.
func lineOf(t *testing.T, stack *local.Stack, method, path, body string) string {
	line, _ := send(t, stack, method, path, body)
	return line
}

// send sends a request, and returns its log line and its answer: the status and the body, without the line's end.
func send(t *testing.T, stack *local.Stack, method, path, body string) (line, answer string) {
	request, err := http.NewRequestWithContext(t.Context(), method, stack.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {t.Name()}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	line = localtest.WaitLog(t, stack, response.Header.Get("apigw-requestid"))
	return line, strconv.Itoa(response.StatusCode) + " " + string(read)
}
