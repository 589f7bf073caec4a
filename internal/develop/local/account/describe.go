package account

import (
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/httpserver"

	"github.com/aws/aws-sdk-go-v2/aws"
	cloudformation "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
)

// email finds an operation of SES by its method and by the path below /v2/email/.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Operations.html
func (a *Account) email(method, path string) call {
	c := call{protocol: awsform.RESTJSON, deniedCode: "AccessDeniedException"}
	operation := func(action string, serve func(http.ResponseWriter, *http.Request, State)) call {
		c.action, c.serve = "ses:"+action, serve
		return c
	}
	if address, ok := strings.CutPrefix(path, "suppression/addresses"); ok {
		return a.suppression(c, method, strings.TrimPrefix(address, "/"))
	}
	kind, name, _ := strings.Cut(path, "/")
	// A configuration set's event destinations are one path below the set itself.
	name, events := strings.CutSuffix(name, "/event-destinations")
	switch {
	case method == http.MethodPost && path == "outbound-emails":
		return operation("SendEmail", func(w http.ResponseWriter, r *http.Request, _ State) { a.SES.ServeHTTP(w, r) })
	case method != http.MethodGet:
	case path == "account":
		return operation("GetAccount", func(w http.ResponseWriter, _ *http.Request, s State) { respond(w, &s.SES) })
	case kind == "identities" && name != "":
		return operation("GetEmailIdentity", func(w http.ResponseWriter, _ *http.Request, s State) {
			respond(w, s.Identity(name))
		})
	case kind == "configuration-sets" && events:
		return operation("GetConfigurationSetEventDestinations", func(w http.ResponseWriter, _ *http.Request, s State) {
			respond(w, &map[string]any{"EventDestinations": s.Events})
		})
	case kind == "configuration-sets" && name != "":
		return operation("GetConfigurationSet", func(w http.ResponseWriter, _ *http.Request, s State) {
			respond(w, s.ConfigurationSet)
		})
	}
	return c
}

// respond answers with what SES knows, or with 404 for nil. The SDK's types encode to SES's JSON, as their fields have
// its names.
func respond[T any](w http.ResponseWriter, known *T) {
	if known == nil {
		awsform.New(http.StatusNotFound, "NotFoundException", "it does not exist").Write(w, awsform.RESTJSON)
		return
	}
	httpserver.WriteJSON(w, known)
}

// describeContinuousBackups says whether the table can be restored to a point in time.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeContinuousBackups.html
func describeContinuousBackups(w http.ResponseWriter, _ *http.Request, s State) {
	status := map[bool]string{true: "ENABLED", false: "DISABLED"}[s.Recovery]
	body := fmt.Appendf(nil, `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED",`+
		`"PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":%q}}}`, status)
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)) // SDKs verify it
	w.Write(body)
}

// listStackResources lists only functions, alarms and queues.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListStackResources.html
func (a *Account) listStackResources(w http.ResponseWriter, r *http.Request, s State) {
	if !s.has(w, r) {
		return
	}
	// The names are those of the XML.
	type member struct{ LogicalResourceId, PhysicalResourceId, ResourceType string }
	var answer struct {
		XMLName xml.Name `xml:"ListStackResourcesResponse"`
		Members []member `xml:"ListStackResourcesResult>StackResourceSummaries>member"`
	}
	for _, f := range a.config.Template.Functions {
		answer.Members = append(answer.Members, member{f.LogicalID, f.LogicalID, "AWS::Lambda::Function"})
	}
	for id, name := range s.Alarms {
		answer.Members = append(answer.Members, member{id, name, "AWS::CloudWatch::Alarm"})
	}
	for _, q := range a.config.Template.Queues {
		address := a.URL + "/" + a.config.Values.AccountID + "/" + q.Name
		answer.Members = append(answer.Members, member{q.LogicalID, address, "AWS::SQS::Queue"})
	}
	w.Header().Set("Content-Type", "text/xml")
	xml.NewEncoder(w).Encode(answer)
}

// has reports whether the request is about this stack. If not, it answers the request.
func (s State) has(w http.ResponseWriter, r *http.Request) bool {
	name := r.FormValue("StackName")
	// CloudFormation answers so to an unknown name; tools recognize it by this text.
	if s.Stack == nil || aws.ToString(s.Stack.StackName) != name {
		awsform.New(http.StatusBadRequest, "ValidationError", "Stack with id "+name+" does not exist").
			Write(w, awsform.Query)
		return false
	}
	return true
}

// describeStacks describes the stack with its parameters, outputs and tags.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
func describeStacks(w http.ResponseWriter, r *http.Request, s State) {
	if !s.has(w, r) {
		return
	}
	var answer struct {
		XMLName     xml.Name                   `xml:"DescribeStacksResponse"`
		StackID     string                     `xml:"DescribeStacksResult>Stacks>member>StackId"`
		StackName   string                     `xml:"DescribeStacksResult>Stacks>member>StackName"`
		StackStatus cloudformation.StackStatus `xml:"DescribeStacksResult>Stacks>member>StackStatus"`
		Parameters  []cloudformation.Parameter `xml:"DescribeStacksResult>Stacks>member>Parameters>member"`
		Outputs     []cloudformation.Output    `xml:"DescribeStacksResult>Stacks>member>Outputs>member"`
		Tags        []cloudformation.Tag       `xml:"DescribeStacksResult>Stacks>member>Tags>member"`
	}
	answer.StackID, answer.StackName, answer.StackStatus = *s.Stack.StackId, *s.Stack.StackName, s.Stack.StackStatus
	answer.Parameters, answer.Outputs, answer.Tags = s.Stack.Parameters, s.Stack.Outputs, s.Stack.Tags
	w.Header().Set("Content-Type", "text/xml")
	xml.NewEncoder(w).Encode(answer)
}
