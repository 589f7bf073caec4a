package delivery

import (
	"context"
	"maps"
	"net/http/httptrace"
	"slices"
	"time"

	"frontdesk/internal/awsconf"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// SES sends finished messages.
type SES struct {
	client           *sesv2.Client
	configurationSet *string // nil: the default one of the sender's identity, if it has one
}

// NewSES makes a SES from a function's environment. The configuration set says what becomes of the events of a mail,
// such as its bounce; it may be empty.
func NewSES(configurationSet string) *SES {
	s := &SES{client: sesv2.NewFromConfig(awsconf.New(awsconf.Service{
		Name: "SESV2", Retryer: pacing,
		// A call on a connection that SES has closed is lost, and cannot be repeated: so connections are not kept long.
		IdleTimeout: 5 * time.Second,
	}))}
	if configurationSet != "" {
		s.configurationSet = &configurationSet
	}
	return s
}

// send hands SES a message for the recipients of an envelope, 50 at the most, and gives SES's id of it. SES is not
// asked again after until.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
func (s *SES) send(ctx context.Context, until time.Time, e Envelope, message Message) (id string, why *failure) {
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

// messageTags are tags as SES takes them, sorted by name.
func messageTags(tags map[string]string) []types.MessageTag {
	var list []types.MessageTag
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, types.MessageTag{Name: aws.String(name), Value: aws.String(tags[name])})
	}
	return list
}

// MessageID is the header field Message-ID of a mail that SES sent: SES's id of it at a domain of the region, which in
// the first of all regions has a name of its own. It is "" for a mail that was not sent.
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
