package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
)

// Alarm is an alarm of the stack that can be set off, and who hears of it.
type Alarm struct {
	Name    string
	Topic   string   // the ARN of its SNS topic
	Hearers []string // subscriptions to the topic, such as "email ops@example.com"
}

// FindAlarm finds an alarm that can be set off. It changes nothing. The error says what keeps everybody from hearing.
//
// An alarm that is set off already would tell nobody. One that ignores missing data might stay set off. SetAlarmState
// lasts until CloudWatch evaluates the alarm again, which is within a minute or so for the others.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_SetAlarmState.html
func (d *Doctor) FindAlarm(ctx context.Context, topic string) (*Alarm, error) {
	if topic == "" {
		return nil, fmt.Errorf("the alarms of stack %s have no topic: frontdesk doctor says how they get one", d.Stack)
	}
	names, err := d.Resources(ctx, "AWS::CloudWatch::Alarm")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("stack %s has no alarms", d.Stack)
	}
	described, err := d.CloudWatch.DescribeAlarms(ctx, &cloudwatch.DescribeAlarmsInput{
		AlarmNames: slices.Sorted(maps.Values(names)),
	})
	if err != nil {
		return nil, err
	}
	found := slices.IndexFunc(described.MetricAlarms, func(a types.MetricAlarm) bool {
		return a.StateValue != types.StateValueAlarm && aws.ToBool(a.ActionsEnabled) &&
			slices.Contains(a.AlarmActions, topic) && aws.ToString(a.TreatMissingData) != "ignore"
	})
	if found < 0 {
		return nil, fmt.Errorf("no alarm of stack %s can be set off: each is set off already, or tells %s nothing",
			d.Stack, topic)
	}
	hearers, err := d.hearers(ctx, topic)
	if err == nil && len(hearers) == 0 {
		err = fmt.Errorf("nobody has subscribed to %s: frontdesk doctor says how", topic)
	}
	return &Alarm{aws.ToString(described.MetricAlarms[found].AlarmName), topic, hearers}, err
}

// hearers returns the confirmed subscriptions to a topic. Of a web address it tells the host alone: the path may be a
// secret, as those of chats and pagers are.
func (d *Doctor) hearers(ctx context.Context, topic string) (hearers []string, err error) {
	pages := sns.NewListSubscriptionsByTopicPaginator(d.SNS, &sns.ListSubscriptionsByTopicInput{TopicArn: &topic})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Subscriptions {
			if !strings.HasPrefix(aws.ToString(s.SubscriptionArn), "arn:") { // such as PendingConfirmation
				continue
			}
			where := aws.ToString(s.Endpoint)
			if address, err := url.Parse(where); err == nil && address.Host != "" {
				where = address.Host
			}
			hearers = append(hearers, aws.ToString(s.Protocol)+" "+where)
		}
	}
	return hearers, nil
}

// ringReason stands in the message that the alarm sends.
const ringReason = "frontdesk doctor --ring: a rehearsal, nothing is wrong"

// ringPatience is how long CloudWatch may take to write down what became of an alarm's action.
const ringPatience = 30 * time.Second

// examineRing sets the alarm off, and reads in its history whether CloudWatch could tell the topic. This proves the
// policies of the topic and of its key, and whatever else AWS looks at.
func (d *Doctor) examineRing(ctx context.Context, s *stack) Finding {
	const subject = "ring"
	if d.Alarm == nil {
		return unknown(subject, "frontdesk --stack "+s.name+" doctor --ring, which asks first",
			"only an alarm shows whether CloudWatch may tell the topic, and somebody hears")
	}
	before, err := d.lastAction(ctx)
	if err != nil {
		return unread(subject, "cloudwatch:DescribeAlarmHistory", err)
	}
	_, err = d.CloudWatch.SetAlarmState(ctx, &cloudwatch.SetAlarmStateInput{
		AlarmName: &d.Alarm.Name, StateValue: types.StateValueAlarm, StateReason: aws.String(ringReason),
	})
	if err != nil {
		return unread(subject, "cloudwatch:SetAlarmState", err)
	}
	history := d.aws("cloudwatch describe-alarm-history --history-item-type Action --alarm-name " + quote(d.Alarm.Name))
	for waited := time.Duration(0); waited < ringPatience && ctx.Err() == nil; waited += time.Second {
		last, err := d.lastAction(ctx)
		if err != nil {
			return unread(subject, "cloudwatch:DescribeAlarmHistory", err)
		}
		if !aws.ToTime(last.Timestamp).After(aws.ToTime(before.Timestamp)) {
			time.Sleep(time.Second)
			continue
		}
		// CloudWatch gives the outcome in words alone.
		says := aws.ToString(last.HistorySummary)
		if strings.HasPrefix(says, "Successfully executed action") {
			return right(subject, "CloudWatch has told the topic of %s: it reaches %s",
				d.Alarm.Name, strings.Join(d.Alarm.Hearers, ", "))
		}
		mend := "allow cloudwatch.amazonaws.com what is refused, in the policy of the topic or of its key: " +
			d.aws("sns get-topic-attributes --topic-arn "+d.Alarm.Topic)
		return missing(subject, mend, "nobody hears of %s: %s", d.Alarm.Name, says)
	}
	return unknown(subject, "look there: "+history,
		"%s was set off, and CloudWatch does not tell yet what became of it", d.Alarm.Name)
}

// lastAction returns the alarm's last action; the zero value for none.
func (d *Doctor) lastAction(ctx context.Context) (types.AlarmHistoryItem, error) {
	out, err := d.CloudWatch.DescribeAlarmHistory(ctx, &cloudwatch.DescribeAlarmHistoryInput{
		AlarmName: &d.Alarm.Name, HistoryItemType: types.HistoryItemTypeAction, MaxRecords: aws.Int32(1),
		ScanBy: types.ScanByTimestampDescending,
	})
	if err != nil || len(out.AlarmHistoryItems) == 0 {
		return types.AlarmHistoryItem{}, err
	}
	return out.AlarmHistoryItems[0], nil
}
