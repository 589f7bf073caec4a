package awsproxy_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	sestypes "github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"

	"frontdesk/internal/develop/local/awsproxy"
	databases "frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/samtemplatetest"
)

// received is a request as a service behind the AWS proxy got it.
type received struct {
	action string // DynamoDB's operation, or SES's path
	header http.Header
	body   string
}

// recordingService answers every request with an empty JSON object, and keeps the request.
type recordingService struct {
	mu       sync.Mutex
	requests []received
}

// ServeHTTP keeps the request, and answers with an empty object.
func (s *recordingService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	action := r.URL.Path
	if target, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810."); ok {
		action = target
	}
	s.mu.Lock()
	s.requests = append(s.requests, received{action, r.Header.Clone(), string(body)})
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	io.WriteString(w, "{}")
}

// got returns the requests so far.
func (s *recordingService) got() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.requests...)
}

// proxiedServices is an AWS proxy in front of a database and of SES.
type proxiedServices struct {
	*awsproxy.Proxy
	network       *httpserver.Memory
	client        *http.Client
	url           string
	database, ses *recordingService
	killed        chan string // receives the session token of each killed process
}

// newProxiedServices starts an AWS proxy for a template. As a simplification, a process's session token is also the id
// of its request.
func newProxiedServices(t *testing.T, template string) *proxiedServices {
	t.Helper()
	s := &proxiedServices{
		database: new(recordingService), ses: new(recordingService), killed: make(chan string, 1),
		network: httpserver.NewMemory(),
	}
	s.client = &http.Client{Transport: httpserver.Transport(s.network)}
	loaded := samtemplatetest.MustParse(t, template)
	s.Proxy = awsproxy.New(awsproxy.Config{
		Policies: mustCompile(t, loaded),
		Tables:   loaded.Tables,
		Values:   samtemplatetest.Values,
		DynamoDB: databases.Forward(s.serve(t, s.database), s.client.Transport),
		SES:      s.ses,
		Request:  func(token string) (id, trace string) { return token, "" },
		Kill:     func(token string) { s.killed <- token },
	})
	s.url = s.serve(t, s.Proxy)
	return s
}

// serve starts a server in the network of the services, and closes it when the test ends.
func (s *proxiedServices) serve(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	listener, err := s.network.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: h}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// mustCompile compiles policies that have no errors.
func mustCompile(t *testing.T, template *samtemplate.Template) awsproxy.Policies {
	t.Helper()
	policies, err := awsproxy.Compile(template.Functions)
	if err != nil {
		t.Fatal(err)
	}
	return policies
}

// dynamodb returns a client as function F uses it while it serves a request. It does not retry.
func (s *proxiedServices) dynamodb(function, requestID string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       samtemplatetest.Values.Region,
		BaseEndpoint: aws.String(s.url),
		HTTPClient:   s.client,
		Credentials:  credentials.NewStaticCredentialsProvider(function, "secret", requestID),
		Retryer:      aws.NopRetryer{},
	})
}

// sesv2 returns a client like [proxiedServices.dynamodb], for SES.
func (s *proxiedServices) sesv2(function, requestID string) *sesv2.Client {
	return sesv2.New(sesv2.Options{
		Region:       samtemplatetest.Values.Region,
		BaseEndpoint: aws.String(s.url),
		HTTPClient:   s.client,
		Credentials:  credentials.NewStaticCredentialsProvider(function, "secret", requestID),
		Retryer:      aws.NopRetryer{},
	})
}

// withTable is samtemplatetest.WithPolicies plus a table with the ARN tableARN.
func withTable(policies string) string {
	return samtemplatetest.WithPolicies(policies) + `
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - {AttributeName: PK, AttributeType: S}
        - {AttributeName: SK, AttributeType: S}
      KeySchema: [{AttributeName: PK, KeyType: HASH}, {AttributeName: SK, KeyType: RANGE}]
`
}

// The ARN and the name that the table of [withTable] has in the stack of [samtemplatetest.Values], and how the ARNs of
// the account's identities and configuration sets begin there.
const (
	tableARN  = "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table"
	tableName = "desk-Table"
	sesARN    = "arn:aws:ses:eu-west-1:123456789012:"
)

// allow returns a policy that allows actions on the table and on everything of SES.
func allow(actions ...string) string {
	return "- Statement: [{Effect: Allow, Action: [" + strings.Join(actions, ", ") + "], " +
		"Resource: ['" + tableARN + "', '" + sesARN + "*']}]"
}

// allowAll allows every action of the tests.
var allowAll = allow("ses:SendEmail", "ses:SendRawEmail", "dynamodb:GetItem", "dynamodb:PutItem",
	"dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchGetItem", "dynamodb:BatchWriteItem",
	"dynamodb:ConditionCheckItem", "dynamodb:Query", "dynamodb:Scan")

// withKey returns the key of an item in a partition. It is also a valid item.
func withKey(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: pk},
		"SK": &types.AttributeValueMemberS{Value: "X"},
	}
}

// getItem returns a request for the item of [withKey].
func getItem(pk string) *dynamodb.GetItemInput {
	return &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: withKey(pk)}
}

// putItem returns a request that writes the item of [withKey].
func putItem(pk string) *dynamodb.PutItemInput {
	return &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: withKey(pk)}
}

// wantAPIError fails unless err has exactly this code and this message.
func wantAPIError(t *testing.T, err error, code, message string) {
	t.Helper()
	var apiError smithy.APIError
	if !errors.As(err, &apiError) {
		t.Fatalf("error %v, want %s", err, code)
	}
	if apiError.ErrorCode() != code || apiError.ErrorMessage() != message {
		t.Errorf("error %s: %s\nwant  %s: %s", apiError.ErrorCode(), apiError.ErrorMessage(), code, message)
	}
}

// TestAllowedCallReachesTheDatabase shows that the body passes unchanged. The function's identity does not pass: a
// DynamoDB that keeps separate data per access key must see the operator's.
func TestAllowedCallReachesTheDatabase(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	if _, err := s.dynamodb("F", "request-1").PutItem(context.Background(), putItem("USER#1")); err != nil {
		t.Fatal(err)
	}
	got := s.database.got()
	if len(got) != 1 || got[0].action != "PutItem" {
		t.Fatalf("the database got %v, want one PutItem", got)
	}
	// The AWS proxy's record holds the body as the SDK sent it.
	sent := string(s.Calls("request-1")[0].Body)
	expect.Equal(t, got[0].body, sent)
	expect.Contains(t, sent, `"PK":{"S":"USER#1"}`)
	if auth := got[0].header.Get("Authorization"); !strings.Contains(auth, " Credential=local/") {
		t.Errorf("Authorization %q, want the access key id local", auth)
	}
	if token := got[0].header.Get("X-Amz-Security-Token"); token != "" {
		t.Errorf("the process's session token %q reached the database", token)
	}
}

// TestRefusedCallIsAccessDenied compares the message with that of AWS, word by word. So whoever searches for the
// message finds AWS's page about it.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
func TestRefusedCallIsAccessDenied(t *testing.T) {
	s := newProxiedServices(t, withTable(allow("dynamodb:GetItem")))
	_, err := s.dynamodb("F", "request-1").PutItem(context.Background(), putItem("USER#1"))
	wantAPIError(t, err, "AccessDeniedException",
		"User: arn:aws:sts::123456789012:assumed-role/desk-FRole/desk-F is not authorized to perform: dynamodb:PutItem"+
			" on resource: "+tableARN+" because no identity-based policy allows the dynamodb:PutItem action")
	if got := s.database.got(); len(got) != 0 {
		t.Errorf("the database got %v", got)
	}
}

// TestUnknownCallerIsRefused shows that a caller who is no function of the template gets AWS's error for unknown keys.
func TestUnknownCallerIsRefused(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	const message = "The security token included in the request is invalid."
	_, err := s.dynamodb("Stranger", "request-1").GetItem(context.Background(), getItem("USER#1"))
	wantAPIError(t, err, "UnrecognizedClientException", message)
	_, err = s.sesv2("Stranger", "request-1").SendEmail(context.Background(), rawMail("a@example.com"))
	wantAPIError(t, err, "UnrecognizedClientException", message)
	// The record names a function for each call. For a stranger there is none.
	if calls := s.Calls("request-1"); len(calls) != 0 {
		t.Errorf("a stranger's calls were kept: %v", calls)
	}
}

// TestWhatTheProxyDoesNotServe shows the errors for operations that the stack lacks, and for malformed bodies.
func TestWhatTheProxyDoesNotServe(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	_, err := s.sesv2("F", "request-1").GetAccount(context.Background(), &sesv2.GetAccountInput{})
	wantAPIError(t, err, "UnknownOperationException", "the local stack has no GET /v2/email/account ")
	for _, c := range []struct{ name, target, body, want string }{
		{"another service", "DynamoDBStreams_20120810.ListStreams", "{}", "UnknownOperationException"},
		{"no target", "", "{}", "UnknownOperationException"},
		// IAM cannot be asked before the AWS proxy knows the items, so a body that it cannot read is refused here.
		{"a body that is no JSON", "DynamoDB_20120810.GetItem", "{", "SerializationException"},
		{"a transaction of unknown verbs",
			"DynamoDB_20120810.TransactWriteItems", `{"TransactItems":[{"Merge":{}}]}`, "SerializationException"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", strings.NewReader(c.body))
			// By hand, because the SDK's client cannot send any of these. The signature is not verified.
			r.Header.Set("Authorization",
				"AWS4-HMAC-SHA256 Credential=F/20260101/eu-west-1/dynamodb/aws4_request, Signature=x")
			r.Header.Set("X-Amz-Target", c.target)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if want := `"__type":"com.amazon.coral.service#` + c.want + `"`; !strings.Contains(w.Body.String(), want) {
				t.Errorf("answer %s, want %s", w.Body, want)
			}
		})
	}
	if got := s.database.got(); len(got) != 0 {
		t.Errorf("the database got %v", got)
	}
}

// TestBodyOverTheLimitIsRefused shows DynamoDB's limit of 16 MB for a request.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
func TestBodyOverTheLimitIsRefused(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	put := putItem("USER#1")
	put.Item["Photo"] = &types.AttributeValueMemberB{Value: make([]byte, 13<<20)} // over 16 MB in base64
	_, err := s.dynamodb("F", "request-1").PutItem(context.Background(), put)
	wantAPIError(t, err, "RequestEntityTooLargeException", "http: request body too large")
}

// TestDatabaseThatIsGoneIsAServerError shows that a dead database looks like a failure of DynamoDB, which the
// SDK retries.
func TestDatabaseThatIsGoneIsAServerError(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	template := samtemplatetest.MustParse(t, withTable(allowAll))
	proxy := awsproxy.New(awsproxy.Config{
		Policies: mustCompile(t, template),
		Tables:   template.Tables,
		Values:   samtemplatetest.Values,
		// Nothing listens on port 1, so the connection is refused at once.
		DynamoDB: databases.Forward("http://127.0.0.1:1", s.client.Transport),
		SES:      s.ses,
		Request:  func(token string) (id, trace string) { return token, "" },
	})
	s.url = s.serve(t, proxy)
	_, err := s.dynamodb("F", "request-1").GetItem(context.Background(), getItem("USER#1"))
	var failure *types.InternalServerError
	if !errors.As(err, &failure) || !strings.HasPrefix(failure.ErrorMessage(), "the database does not answer: ") {
		t.Errorf("error %v, want an InternalServerError", err)
	}
}

// TestEveryCallOfARequestIsCounted shows that refused and failed calls are numbered too, and that requests are counted
// apart. A fault is aimed at the N-th call of a request, so the count must not depend on how a call ends.
func TestEveryCallOfARequestIsCounted(t *testing.T) {
	s := newProxiedServices(t, withTable(allow("dynamodb:GetItem", "ses:SendEmail", "ses:SendRawEmail")))
	ctx := context.Background()
	s.Inject(func(c awsproxy.Call) *awsproxy.Fault {
		if c.RequestID == "request-1" && c.N == 2 {
			return awsproxy.Throttled
		}
		return nil
	})
	db := s.dynamodb("F", "request-1")
	if _, err := db.GetItem(ctx, getItem("USER#1")); err != nil {
		t.Fatal(err)
	}
	if _, err := db.GetItem(ctx, getItem("USER#1")); err == nil {
		t.Error("the faulted call succeeded")
	}
	if _, err := db.PutItem(ctx, putItem("USER#1")); err == nil {
		t.Error("the refused call succeeded")
	}
	if _, err := s.dynamodb("F", "request-2").GetItem(ctx, getItem("USER#2")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.sesv2("F", "request-1").SendEmail(ctx, rawMail("a@example.com")); err != nil {
		t.Fatal(err)
	}
	var got []awsproxy.Call
	for _, c := range s.Calls("request-1") {
		if len(c.Body) == 0 || c.At.IsZero() {
			t.Errorf("call %d has no body or no time", c.N)
		}
		// The bodies are checked only for being there: their JSON depends on the SDK's version.
		c.Body, c.At = nil, time.Time{}
		got = append(got, c)
	}
	want := []awsproxy.Call{
		{RequestID: "request-1", Function: "F", Service: "dynamodb", Action: "GetItem", N: 1},
		{RequestID: "request-1", Function: "F", Service: "dynamodb", Action: "GetItem", N: 2},
		{RequestID: "request-1", Function: "F", Service: "dynamodb", Action: "PutItem", N: 3},
		{RequestID: "request-1", Function: "F", Service: "ses", Action: "SendEmail", N: 4},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("calls %+v\nwant  %+v", got, want)
	}
	if n := len(s.Calls("request-2")); n != 1 {
		t.Errorf("%d calls of the other request, want 1", n)
	}
	if n := len(s.Calls("request-3")); n != 0 {
		t.Errorf("%d calls of no request, want 0", n)
	}
}

// TestConcurrentCallsAreAllCounted shows that numbers are unique although calls come at the same time.
func TestConcurrentCallsAreAllCounted(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	const calls = 64
	var wait sync.WaitGroup
	for range calls {
		wait.Go(func() {
			if _, err := s.dynamodb("F", "request-1").GetItem(context.Background(), getItem("USER#1")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	got := s.Calls("request-1")
	if len(got) != calls {
		t.Fatalf("%d calls, want %d", len(got), calls)
	}
	// The record is in the order of the numbers, without a gap.
	for i, c := range got {
		if c.N != i+1 {
			t.Errorf("call %d is numbered %d", i+1, c.N)
		}
	}
}

// rawMail returns a message whose sender is given in the request, besides its own From. SES takes the envelope from the
// request alone: the recipients stand in no header.
func rawMail(from string) *sesv2.SendEmailInput {
	return &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(from),
		Destination: &sestypes.Destination{
			ToAddresses:  []string{"To <to@example.org>"},
			BccAddresses: []string{"bcc@example.net"},
		},
		Content: &sestypes.EmailContent{Raw: &sestypes.RawMessage{
			Data: []byte("From: Desk <desk@example.com>\r\n\r\nhello"),
		}},
	}
}
