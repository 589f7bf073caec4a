package delivery

import (
	"context"
	"maps"
	"net/http/httptrace"
	"slices"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/awsconf"
	"frontdesk/internal/base/execution"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// SES sends finished messages.
type SES struct {
	client           *sesv2.Client
	configurationSet *string // nil for the default of the sender's identity, if it has one
}

// NewSES returns the SES of a function. The configuration set decides where SES reports
// the events of a mail, such as a bounce; it may be empty.
func NewSES(e execution.Environment, configurationSet string) *SES {
	s := &SES{client: sesv2.NewFromConfig(awsconf.New(e, awsconf.Service{
		Name: "SESV2", Retryer: pacing,
		// A call on a connection that SES has closed is lost and cannot be repeated safely, so idle connections are
		// closed early.
		IdleTimeout: 5 * time.Second,
	}))}
	if configurationSet != "" {
		s.configurationSet = &configurationSet
	}
	return s
}

// send hands SES a message for the recipients of an envelope, at most 50, and returns the id that SES gives it. The
// call makes no new attempt after until.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
func (s *SES) send(ctx context.Context, until time.Time, e Envelope, message Message) (id string, why *api.Error) {
	r := &retryer{until: until}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { r.connected = true },
	})
	out, err := s.client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress:     &e.From,
		Destination:          &types.Destination{ToAddresses: e.To, CcAddresses: e.Cc, BccAddresses: e.Bcc},
		Content:              &types.EmailContent{Raw: &types.RawMessage{Data: []byte{}}},
		ConfigurationSetName: s.configurationSet,
		EmailTags:            messageTags(e.Tags),
	}, sesv2.WithAPIOptions(streamRaw(message)), func(o *sesv2.Options) { r.Retryer, o.Retryer = o.Retryer, r })
	if err != nil {
		return "", r.failure(err)
	}
	return aws.ToString(out.MessageId), nil
}

// messageTags returns tags in the form of the SDK, sorted by name.
func messageTags(tags map[string]string) []types.MessageTag {
	var list []types.MessageTag
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, types.MessageTag{Name: aws.String(name), Value: aws.String(tags[name])})
	}
	return list
}

// MessageID returns the header field Message-ID of a sent mail: the id that SES gave it, at a domain of the region. The
// domain of us-east-1, the oldest region, has a special name. For the id "", of a mail that was not sent, it is "".
// https://docs.aws.amazon.com/ses/latest/dg/header-fields.html
func (s *SES) MessageID(id string) string {
	domain := s.client.Options().Region
	switch {
	case id == "":
		return ""
	case domain == "us-east-1":
		domain = "email"
	}
	return "<" + id + "@" + domain + ".amazonses.com>"
}
