package awsproxy_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	sestypes "github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
)

// always returns the same fault for every call.
func always(f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	return func(awsproxy.Call) *awsproxy.Fault { return f }
}

// isCode matches an error for which the SDK has no type.
func isCode(code string) func(error) bool {
	return func(err error) bool {
		var e smithy.APIError
		return errors.As(err, &e) && e.ErrorCode() == code
	}
}

// TestFaultsAsTheSDKSeesThem shows for each fault which error the SDK reports, and how often the call was applied: the
// two differ exactly where an answer is lost.
func TestFaultsAsTheSDKSeesThem(t *testing.T) {
	type caller func(context.Context, *proxiedServices) error
	get := func(ctx context.Context, s *proxiedServices) error {
		_, err := s.dynamodb("F", "request").GetItem(ctx, getItem("A"))
		return err
	}
	put := func(ctx context.Context, s *proxiedServices) error {
		_, err := s.dynamodb("F", "request").PutItem(ctx, putItem("A"))
		return err
	}
	send := func(ctx context.Context, s *proxiedServices) error {
		_, err := s.sesv2("F", "request").SendEmail(ctx, rawMail("a@example.com"))
		return err
	}
	// A case's name begins with its fault. The check at the end uses that: only a Kill fault may end the
	// caller's process.
	for _, c := range []struct {
		name    string
		fault   *awsproxy.Fault
		call    caller
		status  int              // 0: the connection was cut
		want    func(error) bool // nil: the call was served
		applied int
	}{
		{"Throttled: DynamoDB", awsproxy.Throttled, put, 400, is[*types.ProvisionedThroughputExceededException], 0},
		{"Throttled: SES", awsproxy.Throttled, send, 429, is[*sestypes.TooManyRequestsException], 0},
		{"ServerError: DynamoDB", awsproxy.ServerError, put, 500, is[*types.InternalServerError], 0},
		{"ServerError: SES", awsproxy.ServerError, send, 500, isCode("InternalServiceErrorException"), 0},
		{"Conflict: a write of one item", awsproxy.Conflict, put, 400, is[*types.TransactionConflictException], 0},
		// Only writes and transactions can conflict. The fault must not give a read or a mail an error that AWS never
		// gives it.
		{"Conflict: a read passes", awsproxy.Conflict, get, 200, nil, 1},
		{"Conflict: a mail passes", awsproxy.Conflict, send, 200, nil, 1},
		{"Refuse: DynamoDB", awsproxy.Refuse(400, "OtherException", "no"), put, 400, isCode("OtherException"), 0},
		{"Refuse: SES", awsproxy.Refuse(400, "MessageRejected", "no"), send, 400, is[*sestypes.MessageRejected], 0},
		{"CutBefore: DynamoDB did not apply it", awsproxy.CutBefore, put, 0, isCut, 0},
		{"CutBefore: SES did not send it", awsproxy.CutBefore, send, 0, isCut, 0},
		{"CutAfter: DynamoDB applied it once", awsproxy.CutAfter, put, 0, isCut, 1},
		{"CutAfter: SES sent it once", awsproxy.CutAfter, send, 0, isCut, 1},
		{"KillBefore: DynamoDB did not apply it", awsproxy.KillBefore, put, 0, isCut, 0},
		{"KillBefore: SES did not send it", awsproxy.KillBefore, send, 0, isCut, 0},
		{"KillAfter: DynamoDB applied it once", awsproxy.KillAfter, put, 0, isCut, 1},
		{"KillAfter: SES sent it once", awsproxy.KillAfter, send, 0, isCut, 1},
		// The call of the first case arrives at once, that of the second never.
		{"Late: DynamoDB applied it when it arrived", awsproxy.Late(func(apply func()) { apply() }), put, 0, isCut, 1},
		{"Late: not before it arrives", awsproxy.Late(func(func()) {}), put, 0, isCut, 0},
		{"Delay: DynamoDB", awsproxy.Delay(time.Millisecond), put, 200, nil, 1},
		{"Measured: DynamoDB", awsproxy.Measured(func(float64) {}), put, 200, nil, 1},
		{"Delay: SES", awsproxy.Delay(time.Millisecond), send, 200, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newProxiedServices(t, withTable(allowAll))
			if err := get(context.Background(), s); err != nil { // so that the fault meets a connection in use
				t.Fatal(err)
			}
			s.Inject(always(c.fault))
			err := c.call(context.Background(), s)
			expect.Equal(t, c.want == nil, err == nil)
			if c.want != nil {
				expect.Equal(t, c.want(err), true)
			}
			var response *smithyhttp.ResponseError
			if errors.As(err, &response) && response.HTTPStatusCode() != c.status {
				t.Errorf("status %d, want %d", response.HTTPStatusCode(), c.status)
			}
			// Minus one for the read that opened the connection.
			if applied := len(s.database.got()) - 1 + len(s.ses.got()); applied != c.applied {
				t.Errorf("applied %d times, want %d", applied, c.applied)
			}
			if killed := len(s.killed) == 1; killed != strings.HasPrefix(c.name, "Kill") {
				t.Errorf("the caller was killed: %t", killed)
			}
		})
	}
}

// is reports whether err is an error of type T.
func is[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// isLate reports whether the caller stopped waiting.
func isLate(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// isCut reports whether no answer came at all.
func isCut(err error) bool {
	var lost *smithyhttp.RequestSendError
	return errors.As(err, &lost) && !is[smithy.APIError](err)
}

// TestConflictNamesTheFirstItem shows the reasons of a cancelled transaction, one per item.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
func TestConflictNamesTheFirstItem(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	s.Inject(always(awsproxy.Conflict))
	put := types.TransactWriteItem{Put: &types.Put{TableName: aws.String(tableName), Item: withKey("A")}}
	_, err := s.dynamodb("F", "request").TransactWriteItems(context.Background(), transact(put, put))
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("error %v, want TransactionCanceledException", err)
	}
	const want = "Transaction cancelled, please refer cancellation reasons for specific reasons " +
		"[TransactionConflict, None]"
	if cancelled.ErrorMessage() != want {
		t.Errorf("message %q, want %q", cancelled.ErrorMessage(), want)
	}
	var codes []string
	for _, reason := range cancelled.CancellationReasons {
		codes = append(codes, aws.ToString(reason.Code))
	}
	expect.Len(t, codes, 2)
	expect.Equal(t, codes[0], "TransactionConflict")
	expect.Equal(t, codes[1], "None")
}

// TestSDKRetriesWhatWasThrottled shows that the SDK recognizes the error as throttling.
func TestSDKRetriesWhatWasThrottled(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	s.Inject(func(c awsproxy.Call) *awsproxy.Fault {
		// The standard retryer makes three attempts, so the last one has to succeed.
		if c.N <= 2 {
			return awsproxy.Throttled
		}
		return nil
	})
	retryNow := func(o *dynamodb.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			// Without a backoff the test takes no time.
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	}
	if _, err := s.dynamodb("F", "request").PutItem(context.Background(), putItem("A"), retryNow); err != nil {
		t.Fatal(err)
	}
	var repeated []bool
	for _, call := range s.Calls("request") {
		repeated = append(repeated, call.Repeated)
	}
	expect.Equal(t, repeated, []bool{false, true, true}, "which calls are repeated")
	expect.Len(t, s.database.got(), 1, "applied")
}

// TestASlowTransactionIsApplied shows that a slow transaction is applied whatever becomes of its caller, and that other
// writes, an operator's too, conflict with it until then. That is the hardest case for a function: it gets no answer,
// and must not conclude that nothing was written.
func TestASlowTransactionIsApplied(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		cut   bool
		waits time.Duration
		want  func(error) bool
	}{
		{"its caller waits", false, time.Minute, func(err error) bool { return err == nil }},
		// 50 ms are shorter than the 300 ms of the transaction, so this caller leaves first.
		{"its caller leaves", false, 50 * time.Millisecond, isLate},
		{"its connection is cut", true, time.Minute, isCut},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newProxiedServices(t, withTable(allowAll))
				operator := &proxiedServices{
					url:    s.serve(t, s.Operator(func(awsproxy.Call) *awsproxy.Fault { return nil })),
					client: s.client,
				}
				s.Inject(func(call awsproxy.Call) *awsproxy.Fault {
					if call.RequestID == "slow" {
						return awsproxy.Slow(300*time.Millisecond, c.cut)
					}
					return nil
				})
				answered := make(chan error)
				go func() {
					ctx, leave := context.WithTimeout(t.Context(), c.waits)
					defer leave()
					put := transact(types.TransactWriteItem{
						Put: &types.Put{TableName: aws.String(tableName), Item: withKey("A")},
					})
					_, err := s.dynamodb("F", "slow").TransactWriteItems(ctx, put)
					answered <- err
				}()
				synctest.Wait()
				// Writes to the same item meet the transaction until it is applied.
				for name, by := range map[string]*proxiedServices{"a function's": s, "an operator's": operator} {
					_, err := by.dynamodb("F", "other").PutItem(t.Context(), putItem("A"))
					expect.Equal(t, is[*types.TransactionConflictException](err), true, name+" write meets it")
				}
				if err := <-answered; !c.want(err) {
					t.Errorf("the caller got %v", err)
				}
				time.Sleep(time.Second)
				applied := func(r received) bool { return r.action == "TransactWriteItems" }
				expect.Equal(t, slices.ContainsFunc(s.database.got(), applied), true, "it was applied")
				for name, by := range map[string]*proxiedServices{"a function's": s, "an operator's": operator} {
					_, err := by.dynamodb("F", "other").PutItem(t.Context(), putItem("A"))
					expect.Equal(t, err, nil, name+" write after it")
				}
			})
		})
	}
}

// TestCallerThatDoesNotWaitIsNotServed shows that a delayed call is dropped when its caller leaves.
func TestCallerThatDoesNotWaitIsNotServed(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	reached := make(chan struct{})
	s.Inject(func(awsproxy.Call) *awsproxy.Fault {
		close(reached)
		// An hour: if leaving did not end the wait, the test would run into its time limit.
		return awsproxy.Delay(time.Hour)
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-reached
		cancel()
	}()
	_, err := s.sesv2("F", "request").SendEmail(ctx, rawMail("a@example.com"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the caller gave up", err)
	}
	if sent := len(s.ses.got()); sent != 0 {
		t.Errorf("sent %d times, want 0", sent)
	}
}

// TestInjectNilEndsTheFaults shows that faults can be switched off while the AWS proxy runs.
func TestInjectNilEndsTheFaults(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	s.Inject(always(awsproxy.CutBefore))
	s.Inject(nil)
	if _, err := s.dynamodb("F", "request").GetItem(context.Background(), getItem("A")); err != nil {
		t.Error(err)
	}
}

// TestRefusedCallIsNotFaulted shows that policies are checked first: the test's function sees no call that IAM refuses.
// IAM decides before a service does any work, so a refused call cannot fail in the service.
func TestRefusedCallIsNotFaulted(t *testing.T) {
	s := newProxiedServices(t, withTable(allow("dynamodb:GetItem")))
	s.Inject(func(c awsproxy.Call) *awsproxy.Fault {
		t.Errorf("asked about %s", c.Action)
		return nil
	})
	_, err := s.dynamodb("F", "request").PutItem(context.Background(), putItem("A"))
	wantDenied(t, err, []string{"PutItem"}, tableARN)
}

// TestOperatorsCallsMeetFaults of their own. They need no permission, and are not recorded.
func TestOperatorsCallsMeetFaults(t *testing.T) {
	s := newProxiedServices(t, withTable(allow("dynamodb:Query")))
	var meets *awsproxy.Fault
	var got []awsproxy.Call
	s.url = s.serve(t, s.Operator(func(c awsproxy.Call) *awsproxy.Fault {
		got = append(got, c)
		return meets
	}))
	db := s.dynamodb("operator", "request-1")
	for name, c := range map[string]struct {
		fault *awsproxy.Fault
		good  bool
		calls int // that reach the database
	}{
		"none":          {nil, true, 1},
		"refused":       {awsproxy.Throttled, false, 0},
		"cut before it": {awsproxy.CutBefore, false, 0},
		"cut after it":  {awsproxy.CutAfter, false, 1},
		"late":          {awsproxy.Late(func(apply func()) { apply() }), false, 1},
	} {
		before := len(s.database.got())
		meets, got = c.fault, nil
		_, err := db.PutItem(t.Context(), putItem("USER#1"))
		expect.Equal(t, err == nil, c.good, name+": good")
		expect.Equal(t, len(s.database.got())-before, c.calls, name+": calls of the database")
		expect.Len(t, got, 1, name+": calls")
		expect.Equal(t, got[0].Action, "PutItem", name+": action")
		expect.Contains(t, string(got[0].Body), "USER#1", name+": body")
	}
	expect.Len(t, s.Calls("request-1"), 0, "recorded")
}
