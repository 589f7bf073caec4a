package architecture

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "frontdesk/"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath     string
	Dir            string
	Doc            string // the first sentence of the package comment
	GoFiles        []string
	IgnoredGoFiles []string // of other systems
	Imports        []string // without those of tests
	Deps           []string // Imports, and theirs
	DepOnly        bool
	Standard       bool
	Module         *struct{ Path string }
}

// files are the package's files without tests, those of other systems included.
func (p listed) files() (paths []string) {
	for _, name := range append(p.GoFiles, p.IgnoredGoFiles...) {
		if !strings.HasSuffix(name, "_test.go") {
			paths = append(paths, filepath.Join(p.Dir, name))
		}
	}
	return paths
}

// lines is the length of the package without tests.
func (p listed) lines(t *testing.T) (n int) {
	t.Helper()
	for _, path := range p.files() {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(content, []byte("\n"))
	}
	return n
}

// list runs go list as the functions are built for Lambda.
func list(t *testing.T, args ...string) (packages []listed) {
	t.Helper()
	fields := "-json=ImportPath,Dir,Doc,GoFiles,IgnoredGoFiles,Imports,Deps,DepOnly,Standard,Module"
	cmd := exec.Command("go", append([]string{"list", "-tags", "lambda.norpc", fields}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64", "GOFLAGS=")
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		if err := decoder.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
