package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// startLocal starts the stack as make run does, in a folder that gets .local and bin/frontdesk as in the project, and
// stops it when the test ends. It returns what was printed. Args are options of the command.
func startLocal(t testing.TB, dir string, args ...string) (welcome string) {
	t.Helper()
	writeTool(t, filepath.Join(dir, "bin"))
	command := []string{"--port", "0", "--dir", filepath.Join(dir, ".local"), "--no-watch"}
	return runLocal(t, append(command, args...)...)
}

// writeTool makes a folder with the program, which knows where the project is.
func writeTool(t testing.TB, folder string) {
	t.Helper()
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := projectRoot("")
	if err != nil {
		t.Fatal(err)
	}
	tool := fmt.Sprintf("#!/bin/sh\nFRONTDESK_PROJECT='%s' exec '%s' \"$@\"\n", root, toolPath(t))
	if err := os.WriteFile(filepath.Join(folder, "frontdesk"), []byte(tool), 0o755); err != nil {
		t.Fatal(err)
	}
}

// runLocal runs frontdesk local until the test ends, and returns what it printed until it was ready. The command must
// end without an error.
func runLocal(t testing.TB, args ...string) (welcome string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	ready := newReadyWriter()
	go func() { ended <- run(ctx, append([]string{"local"}, args...), ready) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("stopped with %v", err)
		}
	})
	select {
	case <-ready.printed:
	case err := <-ended:
		ended <- err
		t.Fatalf("ended with %v", err)
	}
	return ready.text.String()
}

// notPasted lists the blocks that are not tried, and why. A block that is here and is not on its page fails the test,
// so the list stays true.
var notPasted = map[string]string{
	"README.md, Run it 1":                                         "it starts the stack",
	"README.md, Test it 1":                                        "it runs this test",
	"README.md, Deploy 1":                                         "it needs AWS credentials",
	"internal/docs/costs.md, Measure again 1":                     "it measures for minutes",
	"internal/docs/deploy.md, From nothing to a first mail 2":     "it needs AWS credentials",
	"internal/docs/deploy.md, From nothing to a first mail 3":     "it needs AWS credentials",
	"internal/docs/deploy.md, From nothing to a first mail 4":     "it needs AWS credentials",
	"internal/docs/deploy.md, From nothing to a first mail 5":     "it needs AWS credentials",
	"internal/docs/deploy.md, From nothing to a first mail 6":     "it needs AWS credentials",
	"internal/docs/deploy.md, From nothing to a first mail 7":     "it needs AWS credentials",
	"internal/docs/local.md, Under sam local 1":                   "it runs until it is told to stop",
	"internal/docs/local.md, Under sam local 2":                   "it needs the SAM CLI and Docker",
	"internal/docs/local.md, A front end on another port 1":       "it starts a stack: see TestLocalForAFrontEnd…",
	"internal/docs/local.md, A webhook on this machine 1":         "it starts a stack: see TestLocalPostsEvents…",
	"internal/docs/local.md, Another table 1":                     "it starts a stack on a table that has to exist",
	"internal/docs/local.md, As slow and contended as DynamoDB 1": "the others are tried on such a stack",
	"internal/docs/mail.md, Hand them on 1":                       "it needs AWS credentials",

	"internal/docs/restore.md, After a bad write 1":     "it needs AWS credentials",
	"internal/docs/restore.md, After a bad write 2":     "it needs AWS credentials",
	"internal/docs/restore.md, After a bad write 3":     "it needs AWS credentials",
	"internal/docs/restore.md, After a bad write 4":     "it needs AWS credentials",
	"internal/docs/restore.md, After a bad write 5":     "it needs AWS credentials",
	"internal/docs/restore.md, After a bad write 6":     "it needs AWS credentials",
	"internal/docs/restore.md, After a bad write 7":     "see TestAfterARestoreAPersonIsForgottenAgain",
	"internal/docs/restore.md, After a deleted stack 1": "it needs AWS credentials",
	"internal/docs/restore.md, After a deleted stack 2": "it needs AWS credentials",
	"internal/docs/restore.md, After a deleted table 1": "it needs AWS credentials",
	"internal/docs/restore.md, Another region 1":        "it needs AWS credentials",
	"internal/docs/restore.md, Another region 2":        "it needs AWS credentials",
	"internal/docs/restore.md, Another region 3":        "it needs AWS credentials",
	"internal/docs/restore.md, Another region 4":        "it needs AWS credentials",
	"internal/docs/restore.md, Another account 1":       "it needs AWS credentials",
	"internal/docs/restore.md, Another account 2":       "it needs AWS credentials",
	"internal/docs/restore.md, Another account 3":       "it needs AWS credentials",
	"internal/docs/restore.md, Lists 2":                 "it needs two tables: see TestARestoredTableIsReopened",
}

// prints lists what the blocks print besides the lines that the pages show below them.
var prints = map[string][]string{
	"README.md, Send a mail 1":                                {"sent: "},
	"README.md, Send a mail 2":                                {`"status":"success"`},
	"README.md, Keep categories and users 1":                  {`"name":"Returns"`, `"name":"Grace"`},
	"internal/docs/deploy.md, From nothing to a first mail 1": nil,
	"internal/docs/deploy.md, From nothing to a first mail 8": {
		"fdm_", "status   delivered\n", "success@simulator.amazonses.com",
	},
	"internal/docs/deploy.md, From nothing to a first mail 9": {"right    stack: ", "right    table: "},
	"internal/docs/operate.md, The tool 1":                    {"frontdesk\n", "CREATE_COMPLETE\n", "mail keys "},
	"internal/docs/operate.md, Mails 1": {
		"subject  Hello\n", "status   ", "ada@example.org", "/sender.php ",
	},
	"internal/docs/operate.md, Suppressed addresses 1": nil,
	"internal/docs/operate.md, Check the table 1":      {" items\n", "  category\n"},
	"internal/docs/operate.md, A person 1":             {`"items":`},
	"internal/docs/operate.md, Forget a person 1":      {"what is kept elsewhere:\n"},
	"internal/docs/restore.md, Lists 1":                {"access.ndjson has the ", " items that give access"},
	"internal/docs/categories.md, A tree 1": {
		`"name":"Printers"`, `"parent_category":{"id":`, `"categories_count":`, "{}",
	},
	"internal/docs/categories.md, Portals 1": {
		"created portal faq of account 1", "updated portal faq", "is a member of portal faq", "en es fr",
		"is no member of portal faq", "deleted portal faq of account 1",
	},
	"internal/docs/move-in.md, Export 1": {
		" has\n", "  category\n", "DIFFERS", "ids.ndjson has the new ids",
	},
	"internal/docs/local.md, For the tests of others 1": {
		`"status":"success"`, `"subject":"Hello"`, `"to":["ada@example.org"]`,
	},
	"internal/docs/local.md, What becomes of mails 1": {
		`"status":"bounced"`, `"subject":"Your ticket is closed"`, `"outcomes":{"`,
	},
	"internal/docs/mail.md, Events that were lost 1":    nil,
	"internal/docs/mail.md, Send a mail 1":              nil,
	"internal/docs/mail.md, Placeholders 1":             nil,
	"internal/docs/mail.md, Invitations 1":              nil,
	"internal/docs/mail.md, Many recipients 1":          nil,
	"internal/docs/mail.md, One click to unsubscribe 1": nil,
	"internal/docs/mail.md, One click to unsubscribe 2": nil,
	"internal/docs/mail.md, One click to unsubscribe 3": {
		"gets no more of these mails", "added 0 of 1; the others were there already", "gets these mails again",
	},
	"internal/docs/mail.md, Redirected mails 1": nil,
	"internal/docs/mail.md, Sent once 1":        nil,
	"internal/docs/mail.md, Quotas 1": {
		"The key is shown only once", "has used 0 of 1000 recipients today",
	},
	"internal/docs/users.md, Members 1": {
		"manages the members of the portals", `{"user_id":`, `"name":"From Joan"`, `{"payload":[{"user_id":`, "{}\n",
	},
	"internal/docs/users.md, From create to sign-in 1": {
		`"name":"Hedy"`, `"name":"Hedy Lamarr"`, `"access_token":"fda_`, `"meta":{}`,
	},
	"internal/docs/users.md, Operators' commands 1": {
		"token  fdp_", "lead to https://crm.example.org/sso\n", "lead to the stack's own page\n",
		"may import hashes of passwords\n",
		"revoked platform app", "hedy@example.org", "token    fda_",
		"revoked 3 tokens of user", // by link, by password, and the one that was created
		"hedy.lamarr@example.org", "has another password", "deleted user ",
	},
	"internal/docs/users.md, A login that leads home 1":        nil,
	"internal/docs/users.md, Passwords from another program 1": nil,
	"the welcome, Commands 1": {
		`{"status":"success","id":"`, `"subject":"Hello from frontdesk"`,
		`{"url":"http://127.0.0.1:`, `/app/login?email=ada%40example.org&sso_auth_token=fdl_`,
	},
}

// TestWhatIsPrintedCanBePasted pastes every block of commands of every page, each page in one terminal, and the
// blocks of the welcome. Each block needs an entry in prints or in notPasted. The stack is as slow and contended as
// DynamoDB, because the pages are for deployed stacks as well.
func TestWhatIsPrintedCanBePasted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed: the commands were not tried")
	}
	dir := t.TempDir()
	pages := append(readPages(t), welcomePage(startLocal(t, dir, "--realistic")))
	seen := map[string]bool{}
	for _, p := range pages {
		for _, b := range p.blocks {
			seen[b.name] = true
		}
		paste(t, dir, slices.DeleteFunc(p.blocks, func(b block) bool {
			return notPasted[b.name] != "" || needsExport(b)
		}))
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(prints)), slices.Collect(maps.Keys(notPasted))) {
		if !seen[name] {
			t.Errorf("there is no block %q", name)
		}
	}
}

// TestTheFirstProgramShowsErrors runs the first program of the README with a bad key and a bad address. It shows what
// the API says, and says that the mail was not sent.
func TestTheFirstProgramShowsErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	startLocal(t, dir)
	program := findBlock(t, "README.md, Send a mail 1")
	for name, c := range map[string]struct{ from, to, says string }{
		"a bad key":     {"MAIL_KEY", "PORTAL_SLUG", "key is not a valid API key"},
		"a bad address": {"ada@example.org", "ada", "it has no @"},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Contains(t, program.script, c.from)
			cmd := exec.Command("sh", "-euc", strings.Replace(program.script, c.from, c.to, 1))
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Error(err)
			}
			expect.Contains(t, string(out), "not sent: ")
			expect.Contains(t, string(out), c.says)
		})
	}
}

// welcomePage returns the output of make run as a page.
func welcomePage(welcome string) page {
	_, rest, _ := strings.Cut(welcome, "In another terminal")
	var commands strings.Builder
	for line := range strings.Lines(rest) {
		if indented, ok := strings.CutPrefix(line, "  "); ok {
			commands.WriteString(indented)
		}
	}
	return parsePage("the welcome", "## Commands\n```sh\n"+commands.String()+"```\n")
}

// paste runs the blocks of a page one after the other in one shell, and checks what each has printed. The shell ends
// at the first command that fails, and the block that had it is named.
func paste(t *testing.T, dir string, blocks []block) {
	t.Helper()
	const next = "=== the next block ===\n"
	script := "set -a; . .local/demo.env; set +a\n"
	for _, b := range blocks {
		commands := strings.ReplaceAll(b.script, "--stack frontdesk", "--local") // in place of a deployed stack
		script += "printf '" + strings.TrimSuffix(next, "\n") + "\\n'\n" + commands
	}
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	printed := strings.Split(string(out), next)[1:]
	for i, b := range blocks {
		t.Run(b.name, func(t *testing.T) {
			switch wanted, known := prints[b.name]; {
			case !known:
				t.Fatal("it is neither said what the block prints, nor why it is not tried")
			case i >= len(printed):
				t.Fatalf("it was not reached: %v", err)
			case i == len(printed)-1 && err != nil:
				t.Fatalf("%v\n%s", err, printed[i])
			default:
				b.check(t, printed[i], wanted)
			}
		})
	}
}

// check compares what a block has printed with what it should print, and should not. No block may print an error of
// the API, nor an access token in any place but the answer to a sign-in.
func (b block) check(t testing.TB, printed string, wanted []string) {
	t.Helper()
	for _, text := range wanted {
		if !strings.Contains(printed, text) {
			t.Errorf("printed %s\nwant %s", printed, text)
		}
	}
	b.checkShown(t, printed)
	tokens, signIns := strings.Count(printed, `"access_token"`), strings.Count(b.script, "auth/sign_in")
	expect.Lacks(t, printed, `"message"`)
	expect.Equal(t, tokens, signIns)
}

// checkShown checks the lines that the page shows below the block. An ellipsis on the page stands for anything.
func (b block) checkShown(t testing.TB, printed string) {
	t.Helper()
	for _, line := range b.shows {
		anything := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
		if !regexp.MustCompile(`(?m)^` + anything + `\r?$`).MatchString(printed) {
			t.Errorf("printed %s\nthe page shows %s", printed, line)
		}
	}
}
