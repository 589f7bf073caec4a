// Package awsform has what AWS's services write in forms of their own: identifiers, and the errors of DynamoDB, SES and
// CloudFormation, so that their SDKs recognize them. Unlike AWS it adds no request id and no checksum to an error.
package awsform

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"strings"
)

// Error is an error that an AWS service answers.
type Error struct {
	status  int
	code    string
	members map[string]any // of the body
}

// Namespaces of DynamoDB's error codes: the common one of AWS services, and its own.
const (
	Coral    = "com.amazon.coral.service#"
	DynamoDB = "com.amazonaws.dynamodb.v20120810#"
)

// New returns an error with an HTTP status, a code with its namespace (SES has none), and a message.
func New(status int, code, message string) *Error {
	return &Error{status: status, code: code, members: map[string]any{"Message": message}}
}

// With adds a member to the body, besides the message.
func (e *Error) With(name string, value any) *Error {
	e.members[name] = value
	return e
}

// Protocol is the form in which a service answers.
type Protocol int

const (
	// JSON is DynamoDB's: the code is a member of the body.
	// https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
	JSON Protocol = iota
	// RESTJSON is SES's: the code is a header.
	// https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
	RESTJSON
	// Query is CloudFormation's, in XML: the code and the message are elements.
	// https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
	Query
)

// Write answers a request with e.
func (e *Error) Write(w http.ResponseWriter, p Protocol) {
	switch code := e.code[strings.Index(e.code, "#")+1:]; p {
	case Query:
		body, _ := xml.Marshal(struct {
			XMLName xml.Name `xml:"ErrorResponse"`
			Code    string   `xml:"Error>Code"`
			Message any      `xml:"Error>Message"`
		}{Code: code, Message: e.members["Message"]})
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(e.status)
		w.Write(body)
		return
	case RESTJSON:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Amzn-ErrorType", code)
	case JSON:
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		e.members["__type"] = e.code
	}
	body, _ := json.Marshal(e.members) // cannot fail: members are strings and maps of strings
	w.WriteHeader(e.status)
	w.Write(body)
}
