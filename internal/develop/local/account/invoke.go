package account

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/samtemplate"
)

// maxPayload is Lambda's limit for the event of a synchronous invocation, in bytes.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const maxPayload = 6 << 20

// function finds an operation of Lambda by its method and by the path below /2015-03-31/functions/. There is only
// Invoke, and it waits for the result. A function's name is its logical id.
// https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
func (a *Account) function(method, path string) call {
	c := call{protocol: awsform.RESTJSON, deniedCode: "AccessDeniedException"}
	name, isInvoke := strings.CutSuffix(path, "/invocations")
	if method != http.MethodPost || !isInvoke {
		return c
	}
	c.action = "lambda:InvokeFunction"
	c.serve = func(w http.ResponseWriter, r *http.Request, _ State) {
		// An unknown function must be refused here: the pool of a function that does not exist would be nil.
		named := func(f samtemplate.Function) bool { return f.LogicalID == name }
		if !slices.ContainsFunc(a.config.Template.Functions, named) {
			awsform.New(http.StatusNotFound, "ResourceNotFoundException", "Function not found: "+name).
				Write(w, awsform.RESTJSON)
			return
		}
		payload, err := httpserver.ReadBody(http.MaxBytesReader(w, r.Body, maxPayload), r.ContentLength)
		if err != nil {
			awsform.New(http.StatusRequestEntityTooLarge, "RequestTooLargeException", err.Error()).
				Write(w, awsform.RESTJSON)
			return
		}
		result, err := a.invoke(r.Context(), name, payload)
		if err != nil {
			// An error of the function is a success of the call: Lambda answers 200 with this header.
			w.Header().Set("X-Amz-Function-Error", "Unhandled")
			result, _ = json.Marshal(map[string]string{"errorMessage": err.Error()})
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(result)
	}
	return c
}
