package main

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/http"

	"frontdesk/internal/local/account"
	"frontdesk/internal/local/awsform"

	kms "github.com/aws/aws-sdk-go-v2/service/kms/types"
)

// topic answers for the SNS topic of a stack's alarms, and for the KMS key that encrypts it: a laptop has neither.
type topic struct {
	attributes map[string]string // nil if there is no topic
	key        *kms.KeyMetadata  // nil if there is none
	keyPolicy  string
	denied     string // a refused call, such as "sns:GetTopicAttributes"
}

// withTopic gives a stack's account a topic to which somebody has subscribed, with the policy that SNS gives a new one.
func (o *shell) withTopic() {
	o.Account().Change(func(s *account.State) {
		s.Others = &topic{attributes: map[string]string{
			"SubscriptionsConfirmed": "1",
			"SubscriptionsPending":   "0",
			"Policy": `{"Version": "2008-10-17", "Id": "__default_policy_ID", "Statement": [{"Effect": "Allow",
				"Sid": "__default_statement_ID", "Principal": {"AWS": "*"}, "Action": ["SNS:GetTopicAttributes",
				"SNS:Subscribe", "SNS:Publish"], "Resource": "arn:aws:sns:us-east-1:123456789012:alarms",
				"Condition": {"StringEquals": {"AWS:SourceOwner": "123456789012"}}}]}`,
		}}
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

// ServeHTTP answers a call of SNS or KMS.
// https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html
// https://docs.aws.amazon.com/kms/latest/APIReference/API_Operations.html
func (t *topic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch target := r.Header.Get("X-Amz-Target"); {
	case target == "TrentService.DescribeKey":
		t.tell(w, "kms:DescribeKey", map[string]any{"KeyMetadata": t.key})
	case target == "TrentService.GetKeyPolicy":
		t.tell(w, "kms:GetKeyPolicy", map[string]any{"Policy": t.keyPolicy})
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
