// Package awserror writes errors as DynamoDB and SES answer them and their SDKs read them. Unlike AWS it adds no
// request id and no checksum.
package awserror

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Error is an answer of an AWS service that is an error.
type Error struct {
	status  int
	code    string
	members map[string]any // of the body
}

// The namespaces of DynamoDB's error codes: that of every AWS service, and its own.
const (
	Coral    = "com.amazon.coral.service#"
	DynamoDB = "com.amazonaws.dynamodb.v20120810#"
)

// New takes the status of HTTP, the code with its namespace, which SES leaves out, and the message.
func New(status int, code, message string) *Error {
	return &Error{status: status, code: code, members: map[string]any{"Message": message}}
}

// With adds a member to the body, beside the message.
func (e *Error) With(name string, value any) *Error {
	e.members[name] = value
	return e
}

// Protocol is how a service answers.
type Protocol int

const (
	// JSON is DynamoDB's: the code is a member of the body.
	// https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
	JSON Protocol = iota
	// RESTJSON is SES's: the code is a header.
	// https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
	RESTJSON
)

// Write answers with e.
func (e *Error) Write(w http.ResponseWriter, p Protocol) {
	if p == RESTJSON {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Amzn-ErrorType", e.code[strings.Index(e.code, "#")+1:])
	} else {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		e.members["__type"] = e.code
	}
	body, _ := json.Marshal(e.members) // strings, and maps of strings
	w.WriteHeader(e.status)
	w.Write(body)
}
