package local_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// watchedProject is a small project with two functions. Greet answers with the text in internal/greeting, Pid with
// the id of its process. If a request has ?url=, both call that URL before they answer, so that a test knows that
// they are busy.
var watchedProject = map[string]string{
	"go.mod": "module watched\n\ngo 1.26\n",
	"template.yaml": `
Transform: AWS::Serverless-2016-10-31
Resources:
  GreetFunction:
    Type: AWS::Serverless::Function
    Properties: {Timeout: 20, Events: {Get: {Type: HttpApi, Properties: {Method: get, Path: /greet}}}}
  PidFunction:
    Type: AWS::Serverless::Function
    Properties: {Timeout: 20, Events: {Get: {Type: HttpApi, Properties: {Method: get, Path: /pid}}}}
`,
	"Makefile": `
functions/local:
	@mkdir -p .local/functions/.tmp
	@GOTMPDIR='$(CURDIR)/.local/functions/.tmp' CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" \
		-o .local/functions/ ./functions/...
`,
	"internal/greeting/greeting.go": "package greeting\n\nfunc Text() string { return \"one\" }\n",
	"internal/runtime/runtime.go": `package runtime

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
)

func Answer(text func() string) {
	api := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/invocation/"
	for {
		next, err := http.Get(api + "next")
		if err != nil {
			os.Exit(1)
		}
		event, _ := io.ReadAll(next.Body)
		if url := regexp.MustCompile("url=([^\"]+)").FindSubmatch(event); url != nil {
			http.Get(string(url[1]))
		}
		body := fmt.Sprintf("{\"statusCode\":200,\"body\":%q}", text())
		http.Post(api+next.Header.Get("Lambda-Runtime-Aws-Request-Id")+"/response", "", strings.NewReader(body))
	}
}
`,
	"functions/greet/main.go": `package main

import (
	"watched/internal/greeting"
	"watched/internal/runtime"
)

func main() { runtime.Answer(greeting.Text) }
`,
	"functions/pid/main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\t\"watched/internal/runtime\"\n)\n\n" +
		"func main() { runtime.Answer(func() string { return fmt.Sprint(os.Getpid()) }) }\n",
}

// watched is the project, with the stack that watches it.
type watched struct {
	t     *testing.T
	root  string
	stack *local.Stack
}

// newWatched writes the project into a folder of its own.
func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{t: t, root: t.TempDir()}
	for path, text := range watchedProject {
		w.write(path, text)
	}
	return w
}

// build builds the project once, before the stack starts.
func (w *watched) build() {
	w.t.Helper()
	if err := local.Build(w.t.Context(), local.Options{Root: w.root}); err != nil {
		w.t.Fatal(err)
	}
}

// start starts a stack that watches the project.
func (w *watched) start() {
	w.t.Helper()
	// The project declares no table.
	database := startProcesses(w.t).Environ()["AWS_ENDPOINT_URL_DYNAMODB"]
	w.stack = localtest.StartBootstraps(w.t, func(o *local.Options) {
		o.Root, o.Builds, o.DynamoDB, o.Watch = w.root, filepath.Join(w.root, ".local", "functions"), database, true
	})
	w.until("it is watched", func() bool { return w.builds().Watching })
}

// write writes a file, with the folders above it.
func (w *watched) write(path, text string) {
	w.t.Helper()
	path = filepath.Join(w.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// greet changes what internal/greeting says. The text is a Go expression.
func (w *watched) greet(text string) {
	w.t.Helper()
	w.write("internal/greeting/greeting.go", "package greeting\n\nfunc Text() string { return "+text+" }\n")
}

// becomes waits until a path answers with this text.
func (w *watched) becomes(path, want string) {
	w.t.Helper()
	w.until(path+" answers "+want, func() bool { return get(w.t, w.stack, path).body == want })
}

// until waits, for up to a minute, until something has happened.
func (w *watched) until(what string, done func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("this has not happened: %s", what)
		}
	}
}

// buildsPage is the JSON of /_local/builds.
type buildsPage struct {
	Watching, Building bool
	Failure, Restart   string
}

func (w *watched) builds() buildsPage { return page[buildsPage](w.t, w.stack, "/_local/builds") }

// TestWatchServesWhatWasEdited shows that only functions whose source changed get a new process, and that a mistake
// leaves the old one serving.
func TestWatchServesWhatWasEdited(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.build()
	w.start()
	w.becomes("/greet", "one")
	pid := get(t, w.stack, "/pid").body
	expect.Equal(t, w.builds().Failure, "")

	// A process that is busy while it is replaced finishes its request.
	reached, leave := make(chan bool), make(chan bool)
	barrier := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(reached)
		<-leave
	}))
	defer barrier.Close()
	busy := make(chan answer)
	go func() { busy <- get(t, w.stack, "/greet?url="+barrier.URL) }()
	<-reached
	topics := follow(t, w.stack)
	w.greet(`"two"`)
	await(t, topics, "builds")
	w.becomes("/greet", "two")
	close(leave)
	if a := <-busy; a.body != "one" {
		t.Errorf("the request under way: got %d %q", a.StatusCode, a.body)
	}
	w.becomes("/greet", "two") // the old process is gone

	// After a mistake, here a missing quote, the compiler's output is shown, and the last good build keeps serving.
	w.greet(`"three`)
	w.until("the failure is shown", func() bool { return w.builds().Failure != "" })
	expect.Contains(t, w.builds().Failure, "greeting.go:3:")
	expect.Lacks(t, w.builds().Failure, "make")
	localtest.WaitLog(t, w.stack, "not everything can be built; what cannot serves as it was built before")
	localtest.WaitLog(t, w.stack, "greeting.go:3:")
	w.becomes("/greet", "two")

	// Fixed, with a package in a new folder, which the watch has to find.
	w.write("internal/words/deep/deep.go", "package deep\n\nconst Text = \"four\"\n")
	w.write("internal/greeting/greeting.go",
		"package greeting\n\nimport \"watched/internal/words/deep\"\n\nfunc Text() string { return deep.Text }\n")
	w.becomes("/greet", "four")
	w.until("the failure is gone", func() bool { return w.builds().Failure == "" })
	// The file that was new is watched as well.
	w.write("internal/words/deep/deep.go", "package deep\n\nconst Text = \"five\"\n")
	w.becomes("/greet", "five")

	// None of the changes concerned this function, although all functions were built each time.
	if now := get(t, w.stack, "/pid").body; now != pid {
		t.Errorf("a function that did not change was served by process %s, then by %s", pid, now)
	}
}

// TestWatchTellsWhatNeedsARestart shows that a changed template is reported, and no longer once it is as before.
func TestWatchTellsWhatNeedsARestart(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.start()
	w.write("template.yaml", watchedProject["template.yaml"]+"# changed\n")
	w.until("the template's change is shown", func() bool { return w.builds().Restart == "template.yaml" })
	localtest.WaitLog(t, w.stack, "template.yaml has changed: restart to use it")
	w.write("template.yaml", watchedProject["template.yaml"])
	w.until("the template is as before", func() bool { return w.builds().Restart == "" })
}

// TestStackThatDoesNotWatchSaysSo shows the page of builds without a watch.
func TestStackThatDoesNotWatchSaysSo(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		b := page[buildsPage](t, startStack(t), "/_local/builds")
		expect.Equal(t, b.Watching, false)
		expect.Equal(t, b.Building, false)
		expect.Equal(t, b.Restart, "")
	})
}
