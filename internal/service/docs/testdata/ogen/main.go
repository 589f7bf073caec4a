// Command client sends a mail, with the client that ogen generates from the contract.
package main

import (
	"context"
	"fmt"
	"os"

	"client/contract"
)

func main() {
	client, err := contract.NewClient(os.Getenv("BASE_URL"), nobody{})
	if err == nil {
		err = run(context.Background(), client)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, client *contract.Client) error {
	mail := contract.Mail{
		Key:        os.Getenv("MAIL_KEY"),
		Recipients: []contract.Recipient{{Email: "ada@example.org", Name: contract.NewOptNilString("Ada Lovelace")}},
		Subject:    contract.NewOptNilString("Sent by the client of ogen"),
		Text:       contract.NewOptNilString("Hello"),
	}
	answer, err := client.SendMail(ctx, &mail, contract.SendMailParams{})
	if err != nil {
		return fmt.Errorf("send a mail: %w", err)
	}
	understood, ok := answer.(*contract.MailAnswerHeaders)
	if !ok || !understood.Response.IsMailSent() {
		return fmt.Errorf("send a mail: %+v", answer)
	}
	mail.Text.SetTo("")
	answer, err = client.SendMail(ctx, &mail, contract.SendMailParams{})
	if err != nil {
		return fmt.Errorf("send an empty mail: %w", err)
	}
	empty, ok := answer.(*contract.MailAnswerHeaders)
	if !ok || !empty.Response.IsMailNotSent() ||
		empty.Response.MailNotSent.Code != contract.MailErrorCodeEmptyBody {
		return fmt.Errorf("send an empty mail: %+v", answer)
	}
	mail.Key = "wrong"
	answer, err = client.SendMail(ctx, &mail, contract.SendMailParams{})
	if _, ok := answer.(*contract.SendMailUnauthorized); err != nil || !ok {
		return fmt.Errorf("send a mail with a wrong key: %w, %+v", err, answer)
	}
	fmt.Println("ogen", understood.Response.MailSent.ID)
	return nil
}

// nobody has no credentials: a mail has its key in its body.
type nobody struct{}

func (nobody) Agent(context.Context, contract.OperationName) (contract.Agent, error) {
	return contract.Agent{}, nil
}

func (nobody) Bearer(context.Context, contract.OperationName) (contract.Bearer, error) {
	return contract.Bearer{}, nil
}

func (nobody) MailKey(context.Context, contract.OperationName) (contract.MailKey, error) {
	return contract.MailKey{}, nil
}

func (nobody) PlatformApp(context.Context, contract.OperationName) (contract.PlatformApp, error) {
	return contract.PlatformApp{}, nil
}

func (nobody) Token(context.Context, contract.OperationName) (contract.Token, error) {
	return contract.Token{}, nil
}
