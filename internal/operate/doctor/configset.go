package doctor

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// wantedEvents are the events that an operator has to hear of.
var wantedEvents = []types.EventType{types.EventTypeBounce, types.EventTypeComplaint}

// examineConfigurationSet examines the set that the stack's mails use: the one that it was given, or its own.
func (d *Doctor) examineConfigurationSet(ctx context.Context, s *stack) []Finding {
	const subject = "configuration set"
	name := cmp.Or(s.parameters["SesConfigurationSet"], s.outputs["ConfigurationSet"])
	if name == "" {
		return []Finding{advice(subject, s.update("MailLogDays", "30"),
			"the stack has none: only the sender's mailbox hears of bounces and complaints")}
	}
	set, err := d.SES.GetConfigurationSet(ctx, &sesv2.GetConfigurationSetInput{ConfigurationSetName: &name})
	if _, absent := errors.AsType[*types.NotFoundException](err); absent {
		return []Finding{missing(subject, d.aws("sesv2 create-configuration-set --configuration-set-name "+name),
			"%s does not exist: SES refuses every mail", name)}
	}
	if err != nil {
		return []Finding{unread(subject, "ses:GetConfigurationSet", err)}
	}
	findings := []Finding{right(subject, "%s is there", name)}
	if set.SendingOptions != nil && !set.SendingOptions.SendingEnabled {
		findings[0] = missing(subject, d.aws("sesv2 put-configuration-set-sending-options --sending-enabled "+
			"--configuration-set-name "+name), "sending is paused for %s", name)
	}
	return append(findings, d.examineEvents(ctx, name))
}

// examineEvents wants an enabled destination for each wanted event. Several destinations may share them.
func (d *Doctor) examineEvents(ctx context.Context, name string) Finding {
	const subject = "events of the configuration set"
	out, err := d.SES.GetConfigurationSetEventDestinations(ctx, &sesv2.GetConfigurationSetEventDestinationsInput{
		ConfigurationSetName: &name,
	})
	if err != nil {
		return unread(subject, "ses:GetConfigurationSetEventDestinations", err)
	}
	for _, event := range wantedEvents {
		if !slices.ContainsFunc(out.EventDestinations, func(e types.EventDestination) bool {
			return e.Enabled && slices.Contains(e.MatchingEventTypes, event)
		}) {
			return missing(subject, d.aws("sesv2 create-configuration-set-event-destination"+
				" --event-destination-name '<name>' --event-destination '<where to>' --configuration-set-name "+name),
				"nothing hears of a %s", event)
		}
	}
	return right(subject, "bounces and complaints are told")
}
