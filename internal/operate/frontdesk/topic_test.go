package main

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/develop/local/awsform"

	kms "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/smithy-go/encoding/cbor"
)

// topic answers for the SNS topic of a stack's alarms, for the KMS key that encrypts it, and for CloudWatch, which has
// the alarms: a laptop has none of them.
type topic struct {
	attributes    map[string]string // nil if there is no topic
	key           *kms.KeyMetadata  // nil if there is none
	subscriptions []subscription
	alarms        []cbor.Map // as DescribeAlarms describes them
	tells         string     // what CloudWatch notes of an alarm's action; "" for nothing
	denied        string     // a refused call, such as "sns:GetTopicAttributes"
	rung          *rung
}

// subscription is one to the topic. Its ARN is a text such as PendingConfirmation until somebody confirms it.
type subscription struct {
	Arn      string `xml:"SubscriptionArn"`
	Protocol string
	Endpoint string
}

// rung is what SetAlarmState was called with.
type rung struct {
	sync.Mutex
	alarms, states []string
}

const alarmTopic = "arn:aws:sns:us-east-1:123456789012:alarms"

// alarm is an alarm that is well and tells the topic.
func alarm(name string) cbor.Map {
	return cbor.Map{
		"AlarmName": cbor.String(name), "StateValue": cbor.String("OK"), "ActionsEnabled": cbor.Bool(true),
		"AlarmActions": cbor.List{cbor.String(alarmTopic)}, "TreatMissingData": cbor.String("notBreaching"),
	}
}

// withTopic gives a stack's account a topic to which somebody has subscribed, and two alarms, of which the first is
// set off already.
func (o *shell) withTopic() {
	off := alarm("a")
	off["StateValue"] = cbor.String("ALARM")
	o.Account().Change(func(s *account.State) {
		s.Others = &topic{
			attributes:    map[string]string{"SubscriptionsConfirmed": "1", "SubscriptionsPending": "0"},
			subscriptions: []subscription{{alarmTopic + ":1", "email", "ops@example.com"}},
			alarms:        []cbor.Map{off, alarm("b")},
			tells:         "Successfully executed action " + alarmTopic,
			rung:          &rung{},
		}
	})
}

// topicOf returns the topic of an account.
func topicOf(s *account.State) *topic { return s.Others.(*topic) }

// copied returns a topic that can be changed.
func (t *topic) copied() *topic {
	now := *t
	now.attributes, now.rung = maps.Clone(t.attributes), &rung{}
	return &now
}

// ServeHTTP answers a call of SNS, KMS or CloudWatch.
// https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html
// https://docs.aws.amazon.com/kms/latest/APIReference/API_Operations.html
// https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html
func (t *topic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target, action := r.Header.Get("X-Amz-Target"), ""
	_, operation, ofCloudWatch := strings.Cut(r.URL.Path, "/service/GraniteServiceVersion20100801/operation/")
	if !ofCloudWatch {
		action = r.FormValue("Action")
	}
	switch {
	case ofCloudWatch:
		t.watch(w, r, operation)
	case target == "TrentService.DescribeKey":
		t.tell(w, "kms:DescribeKey", map[string]any{"KeyMetadata": t.key})
	case action != "GetTopicAttributes" && action != "ListSubscriptionsByTopic":
		awsform.New(http.StatusNotFound, "UnknownOperationException", target).Write(w, awsform.Query)
	case t.denied == "sns:"+action:
		awsform.New(http.StatusForbidden, "AuthorizationError", "not authorized to perform: "+t.denied).
			Write(w, awsform.Query)
	case t.attributes == nil:
		awsform.New(http.StatusNotFound, "NotFound", "Topic does not exist").Write(w, awsform.Query)
	case action == "ListSubscriptionsByTopic":
		var answer struct {
			XMLName xml.Name       `xml:"ListSubscriptionsByTopicResponse"`
			Members []subscription `xml:"ListSubscriptionsByTopicResult>Subscriptions>member"`
		}
		answer.Members = t.subscriptions
		w.Header().Set("Content-Type", "text/xml")
		xml.NewEncoder(w).Encode(answer)
	default:
		t.describe(w)
	}
}

// watch answers a call of CloudWatch. An action is in the history once the alarm was set off.
func (t *topic) watch(w http.ResponseWriter, r *http.Request, operation string) {
	t.rung.Lock()
	defer t.rung.Unlock()
	status, answer := http.StatusOK, cbor.Map{}
	switch {
	case t.denied == "cloudwatch:"+operation:
		status = http.StatusForbidden
		answer["__type"], answer["message"] = cbor.String("AccessDenied"), cbor.String("not authorized")
	case operation == "DescribeAlarms":
		var all cbor.List
		for _, a := range t.alarms {
			all = append(all, a)
		}
		answer["MetricAlarms"] = all
	case operation == "SetAlarmState":
		body := make([]byte, r.ContentLength)
		r.Body.Read(body)
		sent, err := cbor.Decode(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		of := sent.(cbor.Map)
		t.rung.alarms = append(t.rung.alarms, string(of["AlarmName"].(cbor.String)))
		t.rung.states = append(t.rung.states, string(of["StateValue"].(cbor.String)))
	case operation == "DescribeAlarmHistory" && len(t.rung.alarms) > 0 && t.tells != "":
		answer["AlarmHistoryItems"] = cbor.List{cbor.Map{
			"HistorySummary": cbor.String(t.tells),
			"Timestamp":      &cbor.Tag{ID: 1, Value: cbor.Float64(time.Now().Unix())},
		}}
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
