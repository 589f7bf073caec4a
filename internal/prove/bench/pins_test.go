package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pinned are the AWS clients that go.mod holds back for shorter cold starts, each with a function that loads it.
var pinned = []struct{ client, function string }{
	{"dynamodb", "show-user"},
	{"sesv2", "send-mail"},
}

const sdk = "github.com/aws/aws-sdk-go-v2/service/"

// BenchmarkPins starts the functions as they are, in turns with builds that use the newest versions of the clients
// that go.mod pins. x-newest is the start without the pin, in multiples of the start with it. The newest version is
// the newest that the module proxy gives; if it gives none, the client is left out.
func BenchmarkPins(b *testing.B) {
	for _, p := range pinned {
		b.Run("client="+p.client, func(b *testing.B) {
			own := (&testbed{programs: programs(b)}).program(p.function)
			newest := own
			folder := b.TempDir()
			newest.file = filepath.Join(folder, "bootstrap")
			version, err := newest.buildWithNewest(folder, sdk+p.client)
			if err != nil {
				b.Skipf("not measured: %v", err)
			}
			b.Logf("%s %s", p.client, version)
			operations := []func() cost{starting(b, own), starting(b, newest)}
			for _, once := range operations {
				once()
			}
			r := interleave(b, 0, operations...)
			r[0].report(b)
			b.ReportMetric(multiple(r[1].wall, r[0].wall), "x-newest")
		})
	}
}

// buildWithNewest builds a function with the newest version of a module, or with one of those before it: a proxy may
// list versions that it does not give.
func (p program) buildWithNewest(folder, module string) (version string, err error) {
	listed, err := p.run("list", "-m", "-versions", "-f", `{{join .Versions "\n"}}`, module)
	if err != nil {
		return "", err
	}
	versions := strings.Fields(listed)
	for _, version = range slices.Backward(versions[max(0, len(versions)-attempts):]) {
		if err = p.buildWith(folder, module+"@"+version); err == nil {
			break
		}
	}
	return version, err
}

// attempts is how many versions are tried.
const attempts = 10

// buildWith builds a function with another version of a module, by a go.mod beside the program.
func (p program) buildWith(folder, module string) error {
	mod := filepath.Join(folder, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), content, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if _, err := p.run("get", "-modfile="+mod, module); err != nil {
		return err
	}
	return p.make(folder, "go", "GOFLAGS=-modfile="+mod)
}

// run runs go in the project's folder, and returns its output.
func (p program) run(args ...string) (output string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	all, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, all)
	}
	return string(all), err
}
