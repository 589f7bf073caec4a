package doctor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cloudwatchtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	kmstypes "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"
)

// examineAlarms checks that somebody hears of the stack's alarms, and tells which of them ring.
func (d *Doctor) examineAlarms(ctx context.Context, s *stack) []Finding {
	const subject = "alarms"
	alarms, err := d.Resources(ctx, "AWS::CloudWatch::Alarm")
	if err != nil {
		return []Finding{unread(subject, "cloudformation:ListStackResources", err)}
	}
	if len(alarms) == 0 {
		return []Finding{missing(subject, d.deploy(), "the stack has none")}
	}
	return append(d.examineTopic(ctx, s, alarms["ErrorsAlarm"]), d.examineRinging(ctx, alarms)...)
}

// examineTopic checks that the alarms have a topic, and that the topic has subscribers. Whether CloudWatch may publish
// to it depends on policies, which AWS alone evaluates: an alarm that is set off shows it. CloudWatch gives ErrorsAlarm
// its own state back within a minute or so, because the absence of data is no fault for it.
// https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_SetAlarmState.html
func (d *Doctor) examineTopic(ctx context.Context, s *stack, rehearsed string) []Finding {
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
	findings := []Finding{right(subject, "they go to %s", topic), d.examineSubscriptions(topic, out.Attributes)}
	if key := out.Attributes["KmsMasterKeyId"]; key != "" {
		findings = append(findings, d.examineTopicKey(ctx, topic, key))
	}
	name := " --alarm-name " + quote(rehearsed)
	return append(findings, unknown("ring",
		d.aws("cloudwatch set-alarm-state"+name+" --state-value ALARM --state-reason rehearsal").
			below(d.aws("cloudwatch describe-alarm-history"+name+" --history-item-type Action --max-items 1")).
			after("set one off, and see half a minute later what became of it"),
		"only an alarm shows whether CloudWatch may tell the topic, and somebody hears"))
}

// examineRinging tells each alarm that rings now, with its description, which says where to look.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
func (d *Doctor) examineRinging(ctx context.Context, alarms map[string]string) (findings []Finding) {
	const subject = "alarms that ring"
	ids := map[string]string{}
	for id, name := range alarms {
		ids[name] = id
	}
	out, err := d.CloudWatch.DescribeAlarms(ctx, &cloudwatch.DescribeAlarmsInput{
		AlarmNames: slices.Sorted(maps.Keys(ids)), StateValue: cloudwatchtypes.StateValueAlarm,
	})
	if err != nil {
		return []Finding{unread(subject, "cloudwatch:DescribeAlarms", err)}
	}
	for _, a := range out.MetricAlarms {
		name := aws.ToString(a.AlarmName)
		findings = append(findings, wrong("alarm "+ids[name],
			d.aws("cloudwatch describe-alarms --alarm-names "+quote(name)).after(aws.ToString(a.AlarmDescription)),
			"it has rung since %s", aws.ToTime(a.StateTransitionedTimestamp).UTC().Format(time.RFC3339)))
	}
	if findings == nil {
		return []Finding{right(subject, "none")}
	}
	return findings
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
		return missing(subject, do("follow the link in the mail that SNS sent; it holds for two days"),
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
		return missing(subject, d.aws("kms cancel-key-deletion --key-id "+*id).then(enable),
			"%s will be deleted: SNS takes no alarm", key)
	case state != kmstypes.KeyStateEnabled:
		return missing(subject, enable, "%s is %s: SNS takes no alarm", key, state)
	}
	return right(subject, "%s is enabled", key)
}
