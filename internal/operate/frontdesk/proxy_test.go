package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// proxy stands in front of DynamoDB, for one shell.
type proxy struct {
	refuse    func(operation string) (code string) // "" for none
	answered  func(operation string)               // called with each answer before the caller has it
	described func(table map[string]any)           // changes the answer of DescribeTable
}

// refusing returns a shell whose calls of DynamoDB fail with the code that refuse returns; "" lets a call through.
func (o *shell) refusing(refuse func(operation string) string) *shell {
	return o.behind(proxy{refuse: refuse})
}

// meanwhile returns a shell for which f runs before the first call of an operation arrives. Its other calls of the
// operation wait for the end of f.
func (o *shell) meanwhile(operation string, f func()) *shell {
	happen := fixture.Once(f)
	return o.refusing(func(called string) string {
		if called == operation {
			happen()
		}
		return ""
	})
}

// restoredAs returns a shell for which a table was restored: to a time, and from the table of an ARN.
func (o *shell) restoredAs(name, source string, to time.Time) *shell {
	return o.behind(proxy{described: func(table map[string]any) {
		if table["TableName"] == name {
			table["RestoreSummary"] = fixture.Object{
				"RestoreDateTime": to.Unix(), "RestoreInProgress": false, "SourceTableArn": source,
			}
		}
	}})
}

// later is a time after everything that a test does.
var later = time.Now().Add(time.Hour).UTC()

// behind returns a shell whose endpoint is the proxy. The stack itself, with its functions, goes on calling
// DynamoDB directly.
func (o *shell) behind(p proxy) *shell {
	o.Helper()
	variables := variablesOf(o.TB, o.file)
	services, err := url.Parse(variables["AWS_ENDPOINT_URL_DYNAMODB"])
	if err != nil {
		o.Fatal(err)
	}
	operationOf := func(r *http.Request) string {
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		return operation
	}
	forward := &httputil.ReverseProxy{
		Transport: o.Client().Transport,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(services) },
		ErrorLog:  log.New(io.Discard, "", 0), // errors of calls that an interrupted run cuts
		ModifyResponse: func(r *http.Response) error {
			operation := operationOf(r.Request)
			if p.answered != nil {
				p.answered(operation)
			}
			if p.described == nil || operation != "DescribeTable" || r.StatusCode != http.StatusOK {
				return nil
			}
			return rewrite(r, p.described)
		},
	}
	server := localtest.Serve(o.TB, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.refuse != nil {
			if code := p.refuse(operationOf(r)); code != "" {
				// It comes no sooner than the answers of the calls beside it, which the tool cancels then.
				for range 5 {
					o.Network().AwaitLatency()
				}
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s"}`, code)
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	variables["AWS_ENDPOINT_URL_DYNAMODB"] = server.URL
	return &shell{o.TB, o.Stack, o.session, variablesFile(o.TB, variables)}
}

// rewrite changes the table in an answer of DescribeTable.
func rewrite(r *http.Response, change func(table map[string]any)) error {
	var answer struct{ Table map[string]any }
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		return err
	}
	change(answer.Table)
	text, err := json.Marshal(answer)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	r.Header.Set("Content-Length", fmt.Sprint(len(text)))
	// The checksum is of the former answer, and the SDK would refuse the new one.
	r.Header.Del("X-Amz-Crc32")
	return err
}

// describe returns DynamoDB's description of a table.
func (o *shell) describe(name string) *types.TableDescription {
	o.Helper()
	out, err := dynamodb.NewFromConfig(o.Operator()).DescribeTable(o.Context(), &dynamodb.DescribeTableInput{
		TableName: aws.String(name),
	})
	if err != nil {
		o.Fatal(err)
	}
	return out.Table
}
