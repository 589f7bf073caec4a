package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// TestLocalOffersToStartAnew: make run on data of another layout asks at a terminal, and elsewhere wants --yes. Without
// a yes all data stays, and with it nothing of it is left.
func TestLocalOffersToStartAnew(t *testing.T) {
	localtest.NeedsOwnDatabase(t)
	dir := t.TempDir()
	data, envFile := filepath.Join(dir, "data"), filepath.Join(dir, "demo.env")
	local := []string{"local", "--port", "0", "--dir", dir, "--no-watch"}
	stack := startAtTerminal(t, tool(t, local...))
	stack.await(t, "Ctrl-C stops it.")
	vars := sourced(t, envFile, "BASE_URL", "MAIL_KEY", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_REGION", "TABLE_NAME")
	expect.Equal(t, sendDemoMail(t, vars), 1, "mails of the first stack")
	earlier := table.Open(aws.Config{
		Region: vars["AWS_REGION"], BaseEndpoint: aws.String(vars["AWS_ENDPOINT_URL_DYNAMODB"]),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}, vars["TABLE_NAME"])
	if err := earlier.Put(table.LayoutRecord{Key: table.LayoutKey, Layout: 1}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	stack.interrupt(t, "stopping", 0)

	says := "table " + vars["TABLE_NAME"] + " has layout 1, and this version of frontdesk only knows layout 2: " +
		"delete all of " + data + ", and start anew?"
	_, err := frontdesk(t, local...)
	const missing = "missing: --yes, as the input is no terminal to ask at: "
	expect.Contains(t, fmt.Sprint(err), missing+says, "without a terminal")
	expect.Equal(t, commandline.ExitStatus(err), 2, "status without a terminal")

	asked := startAtTerminal(t, tool(t, local...))
	asked.await(t, says)
	if _, err := asked.keys.WriteString("no\n"); err != nil {
		t.Fatal(err)
	}
	asked.await(t, "nothing was done")
	state, err := asked.cmd.Process.Wait()
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, state.ExitCode(), 1, "status after no")
	mails, err := os.ReadDir(filepath.Join(data, "mails"))
	if err != nil {
		t.Fatal(err)
	}
	expect.AtLeast(t, len(mails), 1, "files of mails after no")

	anew := startAtTerminal(t, tool(t, local...))
	anew.await(t, says)
	if _, err := anew.keys.WriteString("yes\n"); err != nil {
		t.Fatal(err)
	}
	anew.await(t, "Ctrl-C stops it.")
	again := sourced(t, envFile, "BASE_URL", "MAIL_KEY")
	expect.Not(t, again["MAIL_KEY"], vars["MAIL_KEY"], "the mail key")
	expect.Equal(t, sendDemoMail(t, again), 1, "mails of the new stack")
	anew.interrupt(t, "stopping", 0)
}
