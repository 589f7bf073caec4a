package local

import (
	"encoding/json"
	"net/http"
	"strings"
)

// serviceError is an answer of an AWS service that is an error, as its SDK reads it.
type serviceError struct {
	status  int
	code    string // with its namespace, which SES leaves out
	members map[string]any
}

// The namespaces of DynamoDB's error codes: those of every AWS service, and its own.
const (
	coralNamespace    = "com.amazon.coral.service#"
	dynamodbNamespace = "com.amazonaws.dynamodb.v20120810#"
)

func newServiceError(status int, code, message string) *serviceError {
	return &serviceError{status: status, code: code, members: map[string]any{"Message": message}}
}

// protocol is how a service answers.
type protocol int

const (
	// awsJSON is DynamoDB's: the code is a member of the body.
	// https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
	awsJSON protocol = iota
	// restJSON is SES's: the code is a header.
	// https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
	restJSON
)

// write answers with e.
func (e *serviceError) write(w http.ResponseWriter, p protocol) {
	if p == restJSON {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Amzn-ErrorType", e.code[strings.Index(e.code, "#")+1:])
	} else {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		e.members["__type"] = e.code
	}
	body, err := json.Marshal(e.members)
	if err != nil {
		panic(err) // strings, and maps of strings
	}
	w.WriteHeader(e.status)
	w.Write(body)
}
