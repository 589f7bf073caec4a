package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/operate/frontdesk/demo"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
)

// startServices starts what the containers of sam local need, as an operator does, and returns its folder and
// its output.
func startServices(t testing.TB) (dir, welcome string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), ".local")
	return dir, runLocal(t, "--services-only", "--host", "0.0.0.0", "--port", "0", "--dir", dir)
}

// samEnvironment returns the environment that sam local gives a function: the variables that the template declares
// for it, with the values of the file's Parameters or else the template's, and SAM's own. The credentials are those
// that SAM makes up.
// https://github.com/aws/aws-sam-cli/blob/develop/samcli/local/lambdafn/env_vars.py
func samEnvironment(t testing.TB, file, function string) map[string]string {
	t.Helper()
	root, err := projectRoot("")
	if err != nil {
		t.Fatal(err)
	}
	// SAM does not ask for parameters that no function needs.
	values := samtemplate.Values{
		Partition: "aws", StackName: "local", Defaults: map[string]string{"Purpose": "production"},
	}
	loaded, err := samtemplate.Load(filepath.Join(root, "template.yaml"), values)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var overrides struct{ Parameters map[string]string }
	if err := json.Unmarshal(text, &overrides); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{
		"AWS_SAM_LOCAL": "true", "AWS_LAMBDA_FUNCTION_NAME": function, "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512", "AWS_LAMBDA_FUNCTION_TIMEOUT": "10",
		"AWS_LAMBDA_FUNCTION_HANDLER": "bootstrap", "AWS_LAMBDA_LOG_GROUP_NAME": "aws/lambda/" + function,
		"AWS_LAMBDA_LOG_STREAM_NAME": "$LATEST", "AWS_LAMBDA_LOG_FORMAT": "JSON", "AWS_LAMBDA_LOG_LEVEL": "INFO",
		"AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "defaultkey",
		"AWS_SECRET_ACCESS_KEY": "defaultsecret", "AWS_ACCOUNT_ID": "123456789012",
		"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
	}
	for _, f := range loaded.Functions {
		if f.LogicalID == function {
			maps.Copy(environment, f.Environment)
			for name := range f.Environment {
				if value, ok := overrides.Parameters[name]; ok {
					environment[name] = value
				}
			}
		}
	}
	return environment
}

// invoke runs a function's bootstrap for one event. It replaces the name that this machine has in a container,
// because that name does not work outside. A server of the test is the Lambda runtime API: it gives out one event,
// and takes the answer.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
func invoke(t testing.TB, function string, environment map[string]string, event fixture.Object) (body string) {
	t.Helper()
	root, err := projectRoot("")
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	events, answers := make(chan []byte, 1), make(chan []byte, 1)
	events <- payload
	runtime := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			select {
			case event := <-events:
				w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
				w.Header().Set("Lambda-Runtime-Deadline-Ms", "99999999999999")
				w.Write(event)
			case <-r.Context().Done():
			}
			return
		}
		answer, _ := io.ReadAll(r.Body)
		answers <- answer
		w.WriteHeader(http.StatusAccepted)
	}))
	defer runtime.Close()
	var log bytes.Buffer
	program := samtemplate.Function{LogicalID: function}.Program()
	process := exec.Command(filepath.Join(root, ".local", "functions", program))
	process.Stdout, process.Stderr = &log, &log
	process.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(runtime.URL, "http://")}
	for name, value := range environment {
		process.Env = append(process.Env, name+"="+strings.ReplaceAll(value, demo.ContainerHost, "127.0.0.1"))
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	select {
	case answer := <-answers:
		process.Process.Kill()
		<-ended
		var a struct{ Body string }
		if err := json.Unmarshal(answer, &a); err != nil {
			t.Fatalf("answered %s: %v", answer, err)
		}
		return a.Body
	case err := <-ended:
		t.Fatalf("no answer: %v; the log:\n%s", err, log.String())
		return ""
	}
}

// samEvent is an event of SAM's server: header names in title case, and always the same request id.
func samEvent(method, path string, headers fixture.Object, parameters fixture.Object, body string) fixture.Object {
	headers["Host"], headers["X-Forwarded-Proto"] = "127.0.0.1:3000", "http"
	return fixture.Object{
		"version": "2.0", "routeKey": method + " " + path, "rawPath": path, "rawQueryString": "", "headers": headers,
		"pathParameters": parameters, "body": body, "isBase64Encoded": false,
		"requestContext": fixture.Object{
			"accountId": "123456789012", "apiId": "1234567890", "domainName": "localhost", "domainPrefix": "localhost",
			"http":      fixture.Object{"method": method, "path": path, "sourceIp": "127.0.0.1"},
			"requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef", "stage": "$default",
		},
	}
}

// TestServicesOnlyForSAMLocal: real bootstraps, with the environment of sam local, reach the database and the outbox.
// Login links lead to SAM's server. Docker and SAM themselves are not part of it.
func TestServicesOnlyForSAMLocal(t *testing.T) {
	fixture.StartBootstraps(t)
	dir, welcome := startServices(t)
	file := filepath.Join(dir, "sam-env.json")
	if !strings.Contains(welcome, "--env-vars "+file) {
		t.Errorf("printed %s", welcome)
	}
	vars := sourced(t, filepath.Join(dir, "demo.env"), "BASE_URL", "CONSOLE_URL", "MAIL_KEY", "PLATFORM_TOKEN")
	if vars["BASE_URL"] != demo.SAMURL {
		t.Errorf("BASE_URL is %s", vars["BASE_URL"])
	}

	mail := `{"key":"` + vars["MAIL_KEY"] + `","recipients":[{"email":"a@example.org"}],"subject":"by SAM","text":"x"}`
	const send = "SendMailFunction"
	sent := invoke(t, send, samEnvironment(t, file, send),
		samEvent("POST", "/sender.php", fixture.Object{"Content-Type": "application/json"}, nil, mail))
	if !strings.Contains(sent, `"status":"success"`) {
		t.Errorf("sending: %s", sent)
	}
	response, err := http.Get(vars["CONSOLE_URL"] + "/outbox")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	outbox, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("the outbox: %v", err)
	}
	expect.Contains(t, string(outbox), `"subject":"by SAM"`, "the outbox: outbox")

	const create, show, link = "CreateUserFunction", "ShowUserFunction", "LoginLinkFunction"
	token := func() fixture.Object { return fixture.Object{"Api-Access-Token": vars["PLATFORM_TOKEN"]} }
	var user struct {
		ID   json.Number
		Name string
	}
	created := invoke(t, create, samEnvironment(t, file, create),
		samEvent("POST", "/platform/api/v1/users", token(), nil, `{"email":"agent@example.com"}`))
	if err := json.Unmarshal([]byte(created), &user); err != nil {
		t.Fatalf("creating: %s", created)
	}
	path, parameters := "/platform/api/v1/users/"+user.ID.String(), fixture.Object{"user_id": user.ID.String()}
	shown := invoke(t, show, samEnvironment(t, file, show), samEvent("GET", path, token(), parameters, ""))
	if !strings.Contains(shown, `"name":"Demo Agent"`) {
		t.Errorf("showing: %s", shown)
	}
	linked := invoke(t, link, samEnvironment(t, file, link), samEvent("GET", path+"/login", token(), parameters, ""))
	if !strings.Contains(linked, `"url":"`+demo.SAMURL+`/app/login?`) {
		t.Errorf("linking: %s", linked)
	}
}

// TestStacksDoNotShareTheirData: two stacks on different ports would write into one file.
func TestStacksDoNotShareTheirData(t *testing.T) {
	dir, _ := startServices(t)
	err := run(t.Context(), []string{"local", "--services-only", "--port", "0", "--dir", dir}, io.Discard)
	expect.Contains(t, fmt.Sprint(err), "a stack runs on the data in ", "a second stack: error")
}
