package dynamodb

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"frontdesk/internal/local/filelock"
)

// dynoxide is DynamoDB's API on SQLite, one static binary in an npm package for each platform.
const (
	dynoxideVersion = "1.2.1"
	dynoxideScope   = "@dynoxide"
)

// installDynoxide returns the path of the binary under root/.local, and lets npm fetch it there first if it is not of
// the version that is wanted.
func installDynoxide(ctx context.Context, root string) (string, error) {
	prefix := filepath.Join(root, ".local")
	unlock, err := filelock.Lock(ctx, filepath.Join(prefix, "install.lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	name := dynoxideScope + "/" + platform()
	folder := filepath.Join(prefix, "node_modules", filepath.FromSlash(name))
	binary := filepath.Join(folder, "dynoxide")
	if installedVersion(folder) == dynoxideVersion {
		return binary, nil
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", prefix, "--no-save", "--no-audit", "--no-fund",
		name+"@"+dynoxideVersion)
	if output, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s with npm: %w\n%s", name, err, output)
	}
	if installedVersion(folder) != dynoxideVersion {
		return "", fmt.Errorf("install %s with npm: %s is not version %s", name, folder, dynoxideVersion)
	}
	return binary, nil
}

// platform is this machine in Node's words, such as "linux-x64".
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

// installedVersion is empty when there is no package in the folder.
func installedVersion(folder string) string {
	var manifest struct{ Version string }
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil || json.Unmarshal(text, &manifest) != nil {
		return ""
	}
	return manifest.Version
}
