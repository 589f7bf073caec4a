// Package awsproxy stands between the functions and their services, DynamoDB and SES, as one base URL for both. It
// enforces policies as IAM does for a role, records every call, and makes calls fail for tests. It differs from AWS: it
// verifies no signature, and recognizes a function by its access key id, which is its logical id. Of the policies that
// IAM combines, it knows only those of the function in the template.
package awsproxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/iam"
	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/develop/local/ses"
)

// Proxy passes on the calls that the policy of the calling function allows.
type Proxy struct {
	config   Config
	dynamoDB service
	ses      service
	database *contention.Database // behind dynamoDB
	calls    ledger
	inject   atomic.Pointer[func(Call) *Fault]
	policies atomic.Pointer[Policies]
}

// service is one of the services that functions may call.
type service struct {
	name        string // as in [Call]
	protocol    awsform.Protocol
	backend     http.Handler
	permissions func(action string, body []byte) ([]iam.Permission, error)
	maxBody     int64  // bytes
	refused     int    // status for a call that is not authorized
	malformed   string // error code for a body that is no valid request
}

// Config is what a Proxy needs. Only Contention is optional.
type Config struct {
	Policies Policies
	Tables   []samtemplate.Table
	Values   samtemplate.Values
	DynamoDB http.Handler // the database
	SES      http.Handler // answers POST /v2/email/outbound-emails
	// Contention simulates that of the database; nil for none.
	Contention *contention.Config
	// Request returns the id and the tracing header of the request that a process is serving. The process is identified
	// by its session token.
	Request func(sessionToken string) (requestID, trace string)
	// Kill ends a process and waits until it is gone.
	Kill func(sessionToken string)
}

// Policies are the policies of functions, by logical id.
type Policies map[string]iam.Policy

// Compile compiles the policies of functions. A policy that the AWS proxy could not enforce is an error, which begins
// with the path and the line.
func Compile(functions []samtemplate.Function) (Policies, error) {
	policies := make(Policies)
	for _, f := range functions {
		var err error
		policies[f.LogicalID], err = iam.Compile(f.Policies)
		if err != nil {
			return nil, err
		}
	}
	return policies, nil
}

// New returns an AWS proxy.
func New(c Config) *Proxy {
	p := &Proxy{config: c}
	p.policies.Store(&c.Policies)
	p.ses = service{
		name: serviceSES, protocol: awsform.RESTJSON, backend: c.SES, maxBody: ses.MaxBody,
		permissions: func(_ string, body []byte) ([]iam.Permission, error) { return ses.Permissions(c.Values, body) },
		refused:     http.StatusForbidden, malformed: "BadRequestException",
	}
	access := dynamodb.NewAccess(c.Tables, c.Values)
	p.database = contention.New(c.Contention, access, c.DynamoDB)
	p.dynamoDB = service{
		name: serviceDynamoDB, protocol: awsform.JSON, maxBody: dynamodb.MaxBody,
		backend:     p.database,
		permissions: access.Permissions, refused: http.StatusBadRequest, malformed: "SerializationException",
	}
	return p
}

// Calls returns the calls of one request in order, including refused and failed ones. The AWS proxy keeps the last
// 4,096 requests, or fewer if they are large, and no body over 1 MiB.
func (p *Proxy) Calls(requestID string) []Call { return p.calls.callsOf(requestID) }

// Enforce replaces the policies by those of the template at path, for all further calls.
func (p *Proxy) Enforce(path string) error {
	t, err := samtemplate.Load(path, p.config.Values)
	if err != nil {
		return err
	}
	policies, err := Compile(t.Functions)
	if err != nil {
		return err
	}
	p.policies.Store(&policies)
	return nil
}

// Idle reports whether no transaction is running in the database. One whose caller has left runs on.
func (p *Proxy) Idle() bool { return p.database.Idle() }

// Inject calls f for every call that the policy allows, and applies the fault that f returns; nil means no fault.
// Concurrent requests call f concurrently. Inject(nil) ends it.
func (p *Proxy) Inject(f func(Call) *Fault) {
	if f == nil {
		p.inject.Store(nil)
		return
	}
	p.inject.Store(&f)
}

// ServeHTTP answers one call of a function. It finds the operation and the caller, checks the size and the permissions,
// and then applies a fault or passes the call on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	service, action := p.destination(r)
	refuse := func(status int, code, message string) {
		awsform.New(status, awsform.Coral+code, message).Write(w, service.protocol)
	}
	if action == "" {
		refuse(http.StatusNotFound, "UnknownOperationException",
			"the local stack has no "+r.Method+" "+r.URL.Path+" "+r.Header.Get(targetHeader))
		return
	}
	function := dynamodb.CallerOf(r.Header)
	policy, ok := (*p.policies.Load())[function]
	if !ok {
		refuse(service.refused, "UnrecognizedClientException", "The security token included in the request is invalid.")
		return
	}
	limited := http.MaxBytesReader(w, r.Body, service.maxBody)
	body, err := httpserver.ReadBody(limited, min(r.ContentLength, service.maxBody))
	if err != nil {
		refuse(http.StatusRequestEntityTooLarge, "RequestEntityTooLargeException", err.Error())
		return
	}
	sessionToken := r.Header.Get("X-Amz-Security-Token")
	requestID, trace := p.config.Request(sessionToken)
	call := p.calls.add(Call{
		RequestID: requestID, Trace: trace, Function: function, Service: service.name, Action: action, Body: body,
		Repeated: repeated(r.Header), At: time.Now(),
	})
	if denied := p.authorize(service, policy, call); denied != nil {
		denied.Write(w, service.protocol)
		return
	}
	r = r.WithContext(ses.ForRequest(r.Context(), requestID))
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
	if f := p.fault(call); f != nil {
		f.serve(w, r, call, service, func() { p.config.Kill(sessionToken) })
		return
	}
	service.backend.ServeHTTP(w, r)
}

// Operator answers an operator's calls of DynamoDB with the faults that inject returns; nil means no fault. They need
// no permission, are not recorded, and meet of contention only the conflicts with running transactions. Their Call has
// no request and no function.
func (p *Proxy) Operator(inject func(Call) *Fault) http.Handler {
	service := p.dynamoDB
	service.backend = http.HandlerFunc(p.database.ServeOperator)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			closeConnection(w)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		call := Call{
			Service: serviceDynamoDB, Body: body,
			Action: strings.TrimPrefix(r.Header.Get(targetHeader), targetPrefix),
		}
		if f := inject(call); f != nil {
			f.serve(w, r, call, &service, func() {})
			return
		}
		service.backend.ServeHTTP(w, r)
	})
}

// The header that names the operation of a DynamoDB call, and the prefix before the name.
const (
	targetHeader = "X-Amz-Target"
	targetPrefix = "DynamoDB_20120810."
)

// destination returns the service and the operation of a call. The operation is "" if the stack has no such operation.
func (p *Proxy) destination(r *http.Request) (s *service, action string) {
	if strings.HasPrefix(r.URL.Path, "/v2/email/") {
		if r.Method == http.MethodPost && r.URL.Path == "/v2/email/outbound-emails" {
			action = "SendEmail"
		}
		return &p.ses, action
	}
	operation, ok := strings.CutPrefix(r.Header.Get(targetHeader), targetPrefix)
	if ok && r.Method == http.MethodPost && r.URL.Path == "/" {
		action = operation
	}
	return &p.dynamoDB, action
}

// authorize returns nil if the policy allows everything that the call needs.
func (p *Proxy) authorize(s *service, policy iam.Policy, call Call) *awsform.Error {
	needed, err := s.permissions(call.Action, call.Body)
	if err != nil {
		return awsform.New(http.StatusBadRequest, awsform.Coral+s.malformed, err.Error())
	}
	for _, permission := range needed {
		if !policy.Allows(permission) {
			message := p.accessDenied(call.Function, permission)
			return awsform.New(s.refused, awsform.Coral+"AccessDeniedException", message)
		}
	}
	return nil
}

// accessDenied returns the message that the services use.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
func (p *Proxy) accessDenied(function string, permission iam.Permission) string {
	values := p.config.Values
	name := values.StackName + "-" + function
	user := "arn:" + values.Partition + ":sts::" + values.AccountID + ":assumed-role/" + name + "Role/" + name
	return fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s because no identity-based policy "+
		"allows the %[2]s action", user, permission.Action, permission.Resources[0])
}

// fault returns the fault for a call, or nil.
func (p *Proxy) fault(c Call) *Fault {
	if f := p.inject.Load(); f != nil {
		return (*f)(c)
	}
	return nil
}
