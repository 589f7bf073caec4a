// Command stock-mail sends a mail by existing libraries, as most teams would write it. It decodes the JSON that
// send-mail takes into a struct, downloads files, lets go-mail write the message, and sends it by the SDK's client of
// SES. It authenticates no caller, makes no plain text, checks nothing and logs nothing.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/wneessen/go-mail"
)

// request has the fields of a mail that this function reads.
type request struct {
	Recipients []struct {
		Email string `json:"email"`
		Name  string `json:"name"`
	} `json:"recipients"`
	Subject      string `json:"subject"`
	HTML         string `json:"html"`
	Text         string `json:"text"`
	Placeholders []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"placeholders"`
	Attachments []struct {
		URL      string `json:"url"`
		Content  []byte `json:"content"`
		Filename string `json:"filename"`
		Type     string `json:"type"`
	} `json:"attachments"`
}

type handler struct {
	client *sesv2.Client
	sender string
}

func (h handler) send(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	var r request
	if err := json.Unmarshal([]byte(e.Body), &r); err != nil {
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusBadRequest}, nil
	}
	message, to, err := h.message(ctx, r)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	var raw bytes.Buffer
	if _, err := message.WriteTo(&raw); err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("write message: %w", err)
	}
	out, err := h.client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(h.sender),
		Destination:      &types.Destination{ToAddresses: to},
		Content:          &types.EmailContent{Raw: &types.RawMessage{Data: raw.Bytes()}},
	})
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("send email: %w", err)
	}
	body, err := json.Marshal(map[string]string{"status": "success", "id": aws.ToString(out.MessageId)})
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("encode answer: %w", err)
	}
	return events.APIGatewayV2HTTPResponse{
		StatusCode: http.StatusOK,
		Headers:    map[string]string{"content-type": "application/json"},
		Body:       string(body),
	}, nil
}

// message is the mail that a request describes, and the addresses of its recipients.
func (h handler) message(ctx context.Context, r request) (m *mail.Msg, to []string, err error) {
	var values []string
	for _, p := range r.Placeholders {
		values = append(values, "{"+strings.ToUpper(p.Name)+"}", p.Value)
	}
	fill := strings.NewReplacer(values...)

	m = mail.NewMsg()
	if err := m.From(h.sender); err != nil {
		return nil, nil, fmt.Errorf("from: %w", err)
	}
	for _, to := range r.Recipients {
		if err := m.AddToFormat(to.Name, to.Email); err != nil {
			return nil, nil, fmt.Errorf("to: %w", err)
		}
	}
	m.Subject(fill.Replace(r.Subject))
	switch {
	case r.Text != "" && r.HTML != "":
		m.SetBodyString(mail.TypeTextPlain, fill.Replace(r.Text))
		m.AddAlternativeString(mail.TypeTextHTML, fill.Replace(r.HTML))
	case r.HTML != "":
		m.SetBodyString(mail.TypeTextHTML, fill.Replace(r.HTML))
	default:
		m.SetBodyString(mail.TypeTextPlain, fill.Replace(r.Text))
	}
	for _, a := range r.Attachments {
		if a.URL != "" {
			a.Content, err = download(ctx, a.URL)
			if err != nil {
				return nil, nil, err
			}
		}
		option := mail.WithFileContentType(mail.ContentType(a.Type))
		m.AttachReadSeeker(a.Filename, bytes.NewReader(a.Content), option)
	}
	to, err = m.GetRecipients()
	return m, to, err
}

func download(ctx context.Context, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("download: %s", response.Status)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	return body, nil
}

func main() {
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	h := handler{client: sesv2.NewFromConfig(cfg), sender: os.Getenv("SENDER")}
	lambda.Start(h.send)
}
