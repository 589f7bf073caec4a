package account_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"
)

// start starts a stack without functions, and returns the configuration for a tool that calls its account with any key.
func start(t testing.TB) (*local.Stack, aws.Config) {
	t.Helper()
	s := localtest.Start(t, func(o *local.Options) { o.ServicesOnly = true })
	return s, aws.Config{
		Region:       "us-east-1",
		HTTPClient:   s.Client(),
		BaseEndpoint: aws.String(s.Account().URL),
		Credentials:  credentials.NewStaticCredentialsProvider("defaultkey", "defaultsecret", "token"),
	}
}

// TestDataIsItsOwnersAlone shows that the folder of data is made private: it contains credentials, mails and password
// hashes, and other users may log in to the machine.
func TestDataIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]fs.FileMode{
		"a folder that is new": 0, "one that others could read": 0o755, "one that others could change": 0o777,
	} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), ".local", "data")
			if before != 0 {
				if err := errors.Join(os.MkdirAll(data, 0o755), os.Chmod(data, before)); err != nil {
					t.Fatal(err)
				}
			}
			localtest.StartBootstraps(t, func(o *local.Options) {
				o.Builds, o.ServicesOnly, o.Data = t.TempDir(), true, data
			})
			info, err := os.Stat(data)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != fs.ModeDir|0o700 {
				t.Errorf("it is %v, want drwx------", info.Mode())
			}
		})
	}
}

// TestContainersReachTheTableAndTheOutbox shows a stack of services only, as functions in containers of SAM use it.
func TestContainersReachTheTableAndTheOutbox(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s, cfg := start(t)
		table := aws.String(s.Environ()["TABLE_NAME"])
		_, err := dynamodb.NewFromConfig(cfg).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: table})
		if err != nil {
			t.Error(err)
		}
		_, err = sesv2.NewFromConfig(cfg).SendEmail(t.Context(), &sesv2.SendEmailInput{
			FromEmailAddress: aws.String("a@example.com"),
			Destination:      &types.Destination{ToAddresses: []string{"b@example.com"}},
			Content:          &types.EmailContent{Raw: &types.RawMessage{Data: []byte("Subject: x\r\n\r\nx\r\n")}},
		})
		mails := s.Outbox().Mails()
		if err != nil {
			t.Fatal(err)
		}
		expect.Len(t, mails, 1, "s.Outbox().Mails()")
		expect.Equal(t, mails[0].Subject, "x")
		// The functions run in SAM's containers, so the stack itself has none to call.
		response, err := s.Client().Get(s.URL() + "/docs")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("a stack of services alone answers for its functions: %s", response.Status)
		}
	})
}

// TestDescribeStacksTellsTheTemplateAndTheStack reads parameters and outputs with CloudFormation's own client.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
func TestDescribeStacksTellsTheTemplateAndTheStack(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s, cfg := start(t)
		client := cloudformation.NewFromConfig(cfg)
		name := s.Environ()["STACK_NAME"]
		out, err := client.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{StackName: &name})
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]string{}
		for _, p := range out.Stacks[0].Parameters {
			told[*p.ParameterKey] = *p.ParameterValue
		}
		for _, o := range out.Stacks[0].Outputs {
			told[*o.OutputKey] = *o.OutputValue
		}
		for key, want := range map[string]string{
			"ThrottleRate": "100", "DefaultSender": "", "ApiUrl": s.URL(), "TableName": s.Environ()["TABLE_NAME"],
		} {
			if got, ok := told[key]; !ok || got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
		_, err = client.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{StackName: aws.String("other")})
		e, ok := errors.AsType[smithy.APIError](err)
		if !ok {
			t.Fatalf("another stack: %v", err)
		}
		expect.Equal(t, e.ErrorCode(), "ValidationError", "another stack")
		expect.Equal(t, e.ErrorMessage(), "Stack with id other does not exist", "another stack")
	})
}

// TestChangeIsTold shows how a test breaks the account, and that the SDK sees it.
func TestChangeIsTold(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s, cfg := start(t)
		client := sesv2.NewFromConfig(cfg)
		for _, want := range []bool{true, false} {
			s.Account().Change(func(state *account.State) { state.SES.SendingEnabled = want })
			out, err := client.GetAccount(t.Context(), &sesv2.GetAccountInput{})
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, out.SendingEnabled, want)
			expect.Equal(t, out.SendQuota.Max24HourSend, 50_000)
		}
		set := aws.String("any")
		events, err := client.GetConfigurationSetEventDestinations(t.Context(),
			&sesv2.GetConfigurationSetEventDestinationsInput{ConfigurationSetName: set})
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t,
			slices.Contains(events.EventDestinations[0].MatchingEventTypes, types.EventTypeComplaint), true)
		// Until here, every name was the name of a configuration set that exists.
		s.Account().Change(func(state *account.State) { state.ConfigurationSet = nil })
		_, err = client.GetConfigurationSet(t.Context(), &sesv2.GetConfigurationSetInput{ConfigurationSetName: set})
		if _, absent := errors.AsType[*types.NotFoundException](err); !absent {
			t.Errorf("a configuration set that is gone: %v", err)
		}
	})
}

// TestOtherOperationsAreNotKnown shows the error for operations that the account does not have.
func TestOtherOperationsAreNotKnown(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s, cfg := start(t)
		_, sesErr := sesv2.NewFromConfig(cfg).ListEmailIdentities(t.Context(), &sesv2.ListEmailIdentitiesInput{})
		_, stackErr := cloudformation.NewFromConfig(cfg).ListStacks(t.Context(), &cloudformation.ListStacksInput{})
		for _, err := range []error{sesErr, stackErr} {
			e, ok := errors.AsType[smithy.APIError](err)
			if !ok {
				t.Fatalf("%v", err)
			}
			expect.Equal(t, e.ErrorCode(), "UnknownOperationException")
		}
		response, err := s.Client().Get(s.Account().URL)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		expect.Equal(t, response.StatusCode, http.StatusNotFound)
		expect.Contains(t, string(body), "the local stack has no GET /")
	})
}
