package ses

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"frontdesk/internal/develop/local/iam"
	"frontdesk/internal/develop/local/samtemplate"
)

// sendEmail contains what is read of a SendEmail request.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
type sendEmail struct {
	FromEmailAddress            string
	FromEmailAddressIdentityArn string
	ConfigurationSetName        string
	Destination                 struct{ ToAddresses, CcAddresses, BccAddresses []string }
	Content                     struct{ Raw *struct{ Data []byte } }
	EmailTags                   []struct{ Name, Value string }

	coded []byte // the base64 of the raw content, until decode runs
}

// parse parses a request without its message, which may have 40 MB: encoding/json would read each of its bytes
// four times.
func parse(body []byte) (*sendEmail, error) {
	in := new(sendEmail)
	rest, key := body, []byte(`"Data":"`) // it is unique, because a quotation mark within a text follows a backslash
	if i := bytes.Index(body, key); i >= 0 {
		text := body[i+len(key):]
		end := bytes.IndexByte(text, '"')
		if end >= 0 && bytes.IndexByte(text[:end], '\\') < 0 {
			in.coded, rest = text[:end], slices.Concat(body[:i+len(key)], text[end:])
		}
	}
	return in, json.Unmarshal(rest, in)
}

// decode decodes the message from base64.
func (in *sendEmail) decode() error {
	if in.Content.Raw == nil || len(in.coded) == 0 {
		return nil
	}
	message := make([]byte, base64.StdEncoding.DecodedLen(len(in.coded)))
	n, err := base64.StdEncoding.Decode(message, in.coded)
	in.Content.Raw.Data, in.coded = message[:n], nil
	return err
}

// envelope returns all recipients.
func (in sendEmail) envelope() []string {
	return slices.Concat(in.Destination.ToAddresses, in.Destination.CcAddresses, in.Destination.BccAddresses)
}

// mail returns what the request says about its mail.
func (in sendEmail) mail(ctx context.Context) Mail {
	m := Mail{
		From: in.FromEmailAddress, To: in.envelope(), Tags: map[string]string{},
		Cc: in.Destination.CcAddresses, Bcc: in.Destination.BccAddresses,
	}
	m.RequestID, _ = ctx.Value(requestKey{}).(string)
	for _, tag := range in.EmailTags {
		m.Tags[tag.Name] = tag.Value
	}
	return m
}

// Permissions returns what SendEmail needs: ses:SendEmail and, for raw content, ses:SendRawEmail too, each on the
// sender's identity and on the configuration set. The identity may be the address or its domain: here every address
// counts as verified in both ways. An error means that the body is no valid request.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsimpleemailservicev2.html
func Permissions(v samtemplate.Values, body []byte) ([]iam.Permission, error) {
	in, err := parse(body)
	if err == nil && in.FromEmailAddress == "" { // then it is in the message
		err = in.decode()
	}
	if err != nil {
		return nil, err
	}
	address, err := in.fromAddress()
	if err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(address, "@")
	identities := []string{v.ARN("ses", "identity/"+address), v.ARN("ses", "identity/"+strings.ToLower(domain))}
	// Sending authorization: the identity may belong to another account.
	if in.FromEmailAddressIdentityArn != "" {
		identities = []string{in.FromEmailAddressIdentityArn}
	}
	resources := [][]string{identities}
	if in.ConfigurationSetName != "" {
		resources = append(resources, []string{v.ARN("ses", "configuration-set/"+in.ConfigurationSetName)})
	}
	actions := []string{"ses:SendEmail"}
	if in.Content.Raw != nil {
		actions = append(actions, "ses:SendRawEmail")
	}
	var needed []iam.Permission
	for _, action := range actions {
		for _, resource := range resources {
			needed = append(needed, iam.Permission{Action: action, Resources: resource})
		}
	}
	return needed, nil
}

// fromAddress returns the bare address of FromEmailAddress or, without that, of the raw message's From header.
func (in sendEmail) fromAddress() (string, error) {
	from := in.FromEmailAddress
	if from == "" && in.Content.Raw != nil {
		message, err := mail.ReadMessage(bytes.NewReader(in.Content.Raw.Data))
		if err != nil {
			return "", fmt.Errorf("raw message: %w", err)
		}
		from = message.Header.Get("From")
	}
	address, err := mail.ParseAddress(from)
	if err != nil {
		return "", fmt.Errorf("sender %q: %w", from, err)
	}
	return address.Address, nil
}
