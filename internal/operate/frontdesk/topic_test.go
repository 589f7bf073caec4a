package main

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"strings"

	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/develop/local/awsform"

	kms "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/smithy-go/encoding/cbor"
)

// topic answers for the SNS topic of a stack's alarms, for the KMS key that encrypts it, and for CloudWatch, which has
// the alarms: a laptop has none of them.
type topic struct {
	attributes map[string]string // nil if there is no topic
	key        *kms.KeyMetadata  // nil if there is none
	ringing    []cbor.Map        // as DescribeAlarms describes alarms that ring
	denied     string            // a refused call, such as "sns:GetTopicAttributes"
}

// withTopic gives a stack's account a topic to which somebody has subscribed.
func (o *shell) withTopic() {
	o.Account().Change(func(s *account.State) {
		s.Others = &topic{
			attributes: map[string]string{"SubscriptionsConfirmed": "1", "SubscriptionsPending": "0"},
		}
	})
}

// topicOf returns the topic of an account.
func topicOf(s *account.State) *topic { return s.Others.(*topic) }

// copied returns a topic that can be changed.
func (t *topic) copied() *topic {
	now := *t
	now.attributes = maps.Clone(t.attributes)
	return &now
}

// ServeHTTP answers a call of SNS, KMS or CloudWatch.
// https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html
// https://docs.aws.amazon.com/kms/latest/APIReference/API_Operations.html
// https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html
func (t *topic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := r.Header.Get("X-Amz-Target")
	switch {
	case strings.HasSuffix(r.URL.Path, "/service/GraniteServiceVersion20100801/operation/DescribeAlarms"):
		t.describeAlarms(w, r)
	case target == "TrentService.DescribeKey":
		t.tell(w, "kms:DescribeKey", map[string]any{"KeyMetadata": t.key})
	case r.FormValue("Action") != "GetTopicAttributes":
		awsform.New(http.StatusNotFound, "UnknownOperationException", target).Write(w, awsform.Query)
	case t.denied == "sns:GetTopicAttributes":
		awsform.New(http.StatusForbidden, "AuthorizationError", "not authorized to perform: "+t.denied).
			Write(w, awsform.Query)
	case t.attributes == nil:
		awsform.New(http.StatusNotFound, "NotFound", "Topic does not exist").Write(w, awsform.Query)
	default:
		t.describe(w)
	}
}

// describeAlarms answers with the alarms that ring, if those are asked for.
func (t *topic) describeAlarms(w http.ResponseWriter, r *http.Request) {
	status, answer := http.StatusOK, cbor.Map{}
	body := make([]byte, r.ContentLength)
	_, _ = io.ReadFull(r.Body, body)
	switch asked, err := cbor.Decode(body); {
	case err != nil || asked.(cbor.Map)["StateValue"] != cbor.String("ALARM"):
		status = http.StatusBadRequest
		answer["__type"], answer["message"] = cbor.String("ValidationError"), cbor.String("asks for other alarms")
	case t.denied == "cloudwatch:DescribeAlarms":
		status = http.StatusForbidden
		answer["__type"], answer["message"] = cbor.String("AccessDenied"), cbor.String("not authorized")
	default:
		var all cbor.List
		for _, a := range t.ringing {
			all = append(all, a)
		}
		answer["MetricAlarms"] = all
	}
	w.Header().Set("Content-Type", "application/cbor")
	w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	w.WriteHeader(status)
	w.Write(cbor.Encode(answer))
}

// tell answers a call of KMS about the key.
func (t *topic) tell(w http.ResponseWriter, action string, answer any) {
	switch {
	case t.denied == action:
		awsform.New(http.StatusForbidden, "AccessDeniedException", "not authorized to perform: "+action).
			Write(w, awsform.JSON)
	case t.key == nil:
		awsform.New(http.StatusBadRequest, "NotFoundException", "the key does not exist").Write(w, awsform.JSON)
	default:
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		json.NewEncoder(w).Encode(answer)
	}
}

// describe answers with the attributes of the topic.
func (t *topic) describe(w http.ResponseWriter) {
	type entry struct {
		Key   string `xml:"key"`
		Value string `xml:"value"`
	}
	var answer struct {
		XMLName xml.Name `xml:"GetTopicAttributesResponse"`
		Entries []entry  `xml:"GetTopicAttributesResult>Attributes>entry"`
	}
	for name, value := range t.attributes {
		answer.Entries = append(answer.Entries, entry{name, value})
	}
	w.Header().Set("Content-Type", "text/xml")
	xml.NewEncoder(w).Encode(answer)
}
