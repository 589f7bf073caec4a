package architecture

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
)

const (
	root   = "../../.."
	module = "frontdesk/"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath string
	Doc        string   // the first sentence of the package comment
	Imports    []string // without those of tests
	Deps       []string // Imports, and theirs
	DepOnly    bool
	Standard   bool
	Module     *struct{ Path string }
}

// list runs go list with the build tags of the functions.
func list(t *testing.T, args ...string) (packages []listed) {
	t.Helper()
	fields := "-json=ImportPath,Doc,Imports,Deps,DepOnly,Standard,Module"
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
