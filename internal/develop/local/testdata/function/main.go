// Command function is the function of package echo in a process of its own. It also does what only a process can do. It
// is every function of this package's tests.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/base/execution"
	"frontdesk/internal/prove/echo"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

func main() {
	if os.Getenv("INIT") == "hang" {
		time.Sleep(time.Hour)
	}
	function, err := echo.Open(execution.Lambda)
	if err != nil {
		os.Exit(7)
	}
	lambda.Start(process{function})
}

type process struct{ lambda.Handler }

func (p process) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, err
	}
	switch event.PathParameters["do"] {
	case "pid":
		return echo.Answer(fmt.Sprint(os.Getpid()))
	case "environment":
		return echo.Answer(strings.Join(os.Environ(), "\n"))
	case "context": // what the Runtime API's headers say
		lc, _ := lambdacontext.FromContext(ctx)
		deadline, _ := ctx.Deadline()
		return echo.Answer(fmt.Sprintf("%s %s %d %s",
			lc.AwsRequestID, lc.InvokedFunctionArn, deadline.UnixMilli(), os.Getenv("_X_AMZN_TRACE_ID")))
	case "fetch": // answers with the process id
		if _, err := p.Handler.Invoke(ctx, payload); err != nil {
			return nil, err
		}
		return echo.Answer(fmt.Sprint(os.Getpid()))
	case "hang-with-child": // sends the child's process id to ?url
		child := exec.Command("/bin/sleep", "3600")
		if err := child.Start(); err != nil {
			return nil, err
		}
		http.Get(event.QueryStringParameters["url"] + fmt.Sprint(child.Process.Pid))
		child.Wait()
	case "panic-in-a-goroutine":
		go panic("on purpose")
		<-ctx.Done()
	case "crash":
		os.Exit(3)
	case "die-idle": // dies when ?url has answered
		go func() {
			http.Get(event.QueryStringParameters["url"])
			os.Exit(4)
		}()
		return echo.Answer("")
	case "log": // writes ?n lines to each of stdout and stderr
		n, _ := strconv.Atoi(event.QueryStringParameters["n"])
		for i := range n {
			fmt.Fprintf(os.Stdout, "out %s %d %s\n", event.Body, i, strings.Repeat("o", 100))
			fmt.Fprintf(os.Stderr, "err %s %d %s\n", event.Body, i, strings.Repeat("e", 100))
		}
		return echo.Answer("")
	case "half-line":
		io.WriteString(os.Stdout, "half a line")
		os.Exit(0)
	}
	return p.Handler.Invoke(ctx, payload)
}
