package dynamodb

import (
	"context"
	"encoding/json"
	"errors"
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

// Install returns the path of the binary under root/.local, and lets npm fetch it there first if it is not of the
// version that is wanted. Whenever that is interrupted, there is a whole one or none.
func Install(ctx context.Context, root string) (string, error) {
	prefix := filepath.Join(root, ".local")
	unlock, err := filelock.Lock(ctx, filepath.Join(prefix, "install.lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	name := dynoxideScope + "/" + platform()
	within := filepath.Join("node_modules", filepath.FromSlash(name))
	folder := filepath.Join(prefix, within)
	binary := filepath.Join(folder, "dynoxide")
	if installedVersion(folder) == dynoxideVersion {
		return binary, nil
	}
	incoming := filepath.Join(prefix, "incoming")
	defer os.RemoveAll(incoming)
	if err := errors.Join(os.RemoveAll(incoming), os.Mkdir(incoming, 0o755)); err != nil {
		return "", fmt.Errorf("install %s: %w", name, err)
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", incoming, "--no-save", "--no-audit", "--no-fund",
		name+"@"+dynoxideVersion)
	output, err := npm.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("npm is not installed, which gets the database; it comes with Node.js: " +
			"https://nodejs.org/en/download (or set DYNAMODB_ENDPOINT to a DynamoDB that runs)")
	} else if err != nil {
		return "", fmt.Errorf("install %s with npm: %w\n%s", name, err, output)
	}
	if installedVersion(filepath.Join(incoming, within)) != dynoxideVersion {
		return "", fmt.Errorf("install %s with npm: what it got is not version %s", name, dynoxideVersion)
	}
	err = errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Dir(folder), 0o755))
	if err == nil {
		err = os.Rename(filepath.Join(incoming, within), folder)
	}
	if err != nil {
		return "", fmt.Errorf("install %s: %w", name, err)
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
