package deployment_test

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// clone has the sources that a build reads, with a git history of its own.
type clone struct {
	folder string // of the clone, below a temporary one
	commit string // the message of its commit
	author string
	isTold bool // git tells the commit to who builds
}

// TestBuildsOfClones builds in clones that differ in all that a build sees of its surroundings. It builds for this
// machine, because most of that is compiled already.
func TestBuildsOfClones(t *testing.T) {
	t.Parallel()
	clones := []clone{
		{folder: "here", commit: "Begin", author: "Ada", isTold: true},
		{folder: "a longer path/elsewhere", commit: "Begin again", author: "Grace"},
	}
	for i := range clones {
		clones[i].folder = filepath.Join(t.TempDir(), clones[i].folder)
		clones[i].make(t)
	}
	t.Run("a function changes only when its code does", func(t *testing.T) { buildFunction(t, clones) })
	t.Run("the tool says its commit", func(t *testing.T) { buildTool(t, clones) })
}

// buildFunction checks that all clones make the same bytes: sam deploy replaces a function whose bytes have changed,
// and the surroundings of a build must not change them.
func buildFunction(t *testing.T, clones []clone) {
	var first [sha256.Size]byte
	for i, c := range clones {
		out := t.TempDir()
		run(t, c.folder, "make", "build-LoginPageFunction", "ARTIFACTS_DIR="+out,
			"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
		bootstrap, err := os.ReadFile(filepath.Join(out, "bootstrap"))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(bootstrap); i == 0 {
			first = sum
		} else if sum != first {
			t.Errorf("the clone %q has a bootstrap of its own", c.folder)
		}
	}
}

// tool stands for the command-line tool, whose own tests show what it makes of its build's settings.
const tool = `package main

import (
	"fmt"
	"runtime/debug"
)

func main() {
	build, _ := debug.ReadBuildInfo()
	fmt.Print(build)
}
`

// buildTool checks that the tool knows its commit, and that it is built for a user whom git tells no commit, too: one
// who does not own the files, or has an archive.
func buildTool(t *testing.T, clones []clone) {
	for _, c := range clones {
		run(t, c.folder, "make", "bin/frontdesk")
		settings := run(t, c.folder, "bin/frontdesk")
		commit, err := command(c.folder, "git", "log", "-1", "--format=%H").Output()
		expect.Equal(t, err == nil, c.isTold, c.folder)
		if c.isTold {
			expect.Contains(t, settings, "vcs.revision="+strings.TrimSpace(string(commit))+"\n", c.folder)
			expect.Contains(t, settings, "vcs.modified=false\n", c.folder)
		} else {
			expect.Lacks(t, settings, "vcs.revision", c.folder)
		}
	}
}

// make makes the clone's folder. All but the tool are links to the project: a build sees the paths of the clone.
func (c clone) make(t *testing.T) {
	t.Helper()
	project := filepath.Join("..", "..", "..")
	packages, err := os.ReadDir(filepath.Join(project, "internal"))
	names := []string{".make", "functions", ".gitignore", "go.mod", "go.sum", "Makefile", "template.yaml"}
	for _, p := range packages {
		if p.Name() != "operate" {
			names = append(names, filepath.Join("internal", p.Name()))
		}
	}
	main := filepath.Join(c.folder, "internal", "operate", "frontdesk", "main.go")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(main), 0o755)
	}
	if err == nil {
		err = os.WriteFile(main, []byte(tool), 0o644)
	}
	for _, name := range names {
		target, cause := filepath.Abs(filepath.Join(project, name))
		err = errors.Join(err, cause, os.Symlink(target, filepath.Join(c.folder, name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	run(t, c.folder, "git", "init", "-q")
	run(t, c.folder, "git", "add", ".")
	run(t, c.folder, "git", "-c", "user.name="+c.author, "-c", "user.email="+c.author+"@example.com",
		"-c", "commit.gpgsign=false", "commit", "-qm", c.commit)
	if c.isTold {
		return
	}
	// Only root can give the files another owner.
	if os.Getuid() != 0 {
		err = os.RemoveAll(filepath.Join(c.folder, ".git"))
	} else {
		err = filepath.WalkDir(c.folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, 1234, 1234)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// command runs as if it came from a terminal. A make around the tests, or a git hook, sets variables of its own, and
// the machine's GOFLAGS, also from go env -w, may hold flags that the Makefile has to set itself.
func command(folder, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = folder, []string{"GOFLAGS=-buildvcs=true"}
	for _, variable := range os.Environ() {
		if !regexp.MustCompile(`^(MAKE|GIT_|GOFLAGS=)`).MatchString(variable) {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	return cmd
}

// run runs a command, and returns what it printed.
func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	out, err := command(folder, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestEnvironments: samconfig.toml has a separate stack for each environment, with parameters that the template takes.
// Builds run one after the other, because the first compiles what all share.
func TestEnvironments(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "samconfig.toml"))
	if err != nil {
		t.Fatal(err)
	}
	config := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(string(text), "")
	deployed := regexp.MustCompile(`\[(\w+)\.deploy\.parameters\]\nstack_name = "(.*)"`)
	stacks := map[string]string{}
	for _, m := range deployed.FindAllStringSubmatch(config, -1) {
		if other, taken := stacks[m[2]]; taken {
			t.Errorf("%s deploys the stack of %s", m[1], other)
		}
		stacks[m[2]] = m[1]
	}
	want := map[string]string{
		"frontdesk": "default", "frontdesk-dev": "dev", "frontdesk-staging": "staging", "frontdesk-prod": "prod",
	}
	if !maps.Equal(stacks, want) {
		t.Errorf("the stacks and their environments are %v", stacks)
	}
	purposes := map[string]string{"default": "production", "dev": "test", "staging": "test", "prod": "production"}
	for environment, purpose := range purposes {
		_, section, _ := strings.Cut(config, "["+environment+".deploy.parameters]")
		section, _, _ = strings.Cut(section, "\n[")
		parameters := map[string]string{}
		for _, m := range regexp.MustCompile(`(?m)^  "(\w+)=(.*)",$`).FindAllStringSubmatch(section, -1) {
			parameters[m[1]] = m[2]
		}
		if _, err := withParameters(t, parameters); err != nil {
			t.Errorf("%s: %v", environment, err)
		}
		expect.Equal(t, parameters["Purpose"], purpose, "Purpose of "+environment)
		expect.Equal(t, parameters["RedirectMailTo"] != "", purpose == "test", environment+" redirects")
	}
	if strings.Contains(config, "parallel") {
		t.Error("functions are built side by side")
	}
	if !strings.HasPrefix(config, "version = 0.1\n") {
		t.Error("sam does not read a configuration without its version")
	}
}
