package doctor

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	kmstypes "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"
)

// examineAlarms checks that somebody hears of the stack's alarms: that they have a topic, and that the topic has
// subscribers. Whether CloudWatch may publish to it depends on policies, which AWS alone evaluates: an alarm that is
// set off shows it.
// https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html
func (d *Doctor) examineAlarms(ctx context.Context, s *stack) []Finding {
	const subject = "alarms"
	topic := s.parameters["AlarmTopicArn"]
	id, err := arn.Parse(topic)
	another := s.update("AlarmTopicArn", "<the ARN of an SNS topic in "+s.id.Region+">")
	switch {
	case topic == "":
		return []Finding{missing(subject, another, "they have no topic: nobody hears of them")}
	case err != nil || id.Service != "sns":
		return []Finding{missing(subject, another, "%s is not the ARN of an SNS topic: nobody hears of them", topic)}
	case id.Region != s.id.Region:
		return []Finding{missing(subject, another,
			"%s is in another region, and CloudWatch tells only topics of its own: nobody hears of them", topic)}
	}
	out, err := d.SNS.GetTopicAttributes(ctx, &sns.GetTopicAttributesInput{TopicArn: &topic})
	if _, absent := errors.AsType[*types.NotFoundException](err); absent {
		return []Finding{missing(subject, d.aws("sns create-topic --name "+id.Resource),
			"%s does not exist: nobody hears of them", topic)}
	}
	if err != nil {
		return []Finding{unread(subject, "sns:GetTopicAttributes", err)}
	}
	alarms, err := d.Resources(ctx, "AWS::CloudWatch::Alarm")
	if err != nil {
		return []Finding{unread(subject, "cloudformation:ListStackResources", err)}
	}
	if len(alarms) == 0 {
		return []Finding{missing(subject, d.deploy(), "the stack has none")}
	}
	findings := []Finding{right(subject, "they go to %s", topic), d.examineSubscriptions(topic, out.Attributes)}
	if key := out.Attributes["KmsMasterKeyId"]; key != "" {
		findings = append(findings, d.examineTopicKey(ctx, topic, key))
	}
	return append(findings, d.examineRing(ctx, s))
}

// examineSubscriptions reads the topic's counts of subscriptions, which SNS gives as texts. One that is confirmed
// is enough.
func (d *Doctor) examineSubscriptions(topic string, attributes map[string]string) Finding {
	const subject = "subscriptions to the alarms' topic"
	confirmed, pending := attributes["SubscriptionsConfirmed"], attributes["SubscriptionsPending"]
	switch none := []string{"", "0"}; {
	case !slices.Contains(none, confirmed):
		return right(subject, "%s confirmed", confirmed)
	case !slices.Contains(none, pending):
		return missing(subject, "follow the link in the mail that SNS sent; it holds for two days",
			"%s to be confirmed: nobody hears of the alarms", pending)
	}
	return missing(subject,
		d.aws("sns subscribe --topic-arn "+topic+" --protocol email --notification-endpoint '<your address>'"),
		"there is none: nobody hears of the alarms")
}

// examineTopicKey examines the KMS key that encrypts a topic, because CloudWatch needs it as well. The policy of
// AWS's own key for SNS admits only the account's principals, and cannot be changed.
// https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
func (d *Doctor) examineTopicKey(ctx context.Context, topic, key string) Finding {
	const subject = "key of the alarms' topic"
	other := d.aws("sns set-topic-attributes --topic-arn " + topic +
		" --attribute-name KmsMasterKeyId --attribute-value '<the ARN of a KMS key of your own>'")
	described, err := d.KMS.DescribeKey(ctx, &kms.DescribeKeyInput{KeyId: &key})
	if _, absent := errors.AsType[*kmstypes.NotFoundException](err); absent {
		return missing(subject, other, "%s does not exist: SNS takes no alarm", key)
	}
	if err != nil {
		return unread(subject, "kms:DescribeKey", err)
	}
	id := described.KeyMetadata.Arn
	enable := d.aws("kms enable-key --key-id " + *id)
	switch state := described.KeyMetadata.KeyState; {
	case described.KeyMetadata.KeyManager == kmstypes.KeyManagerTypeAws:
		return missing(subject, other, "%s is AWS's own, which CloudWatch may not use: SNS takes no alarm", key)
	case state == kmstypes.KeyStatePendingDeletion:
		return missing(subject, d.aws("kms cancel-key-deletion --key-id "+*id)+" && "+enable,
			"%s will be deleted: SNS takes no alarm", key)
	case state != kmstypes.KeyStateEnabled:
		return missing(subject, enable, "%s is %s: SNS takes no alarm", key, state)
	}
	return right(subject, "%s is enabled", key)
}
