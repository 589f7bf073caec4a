package dynamodb

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"frontdesk/internal/develop/local/processes"
)

// dynoxide implements DynamoDB's API on SQLite. It is one static binary, in an npm package for each platform.
//
//go:embed npm
var dynoxide embed.FS

// Install returns the path of the binary below root/.local. If the wanted version is not there, npm fetches it.
func Install(ctx context.Context, root string) (string, error) {
	locked, err := fs.Sub(dynoxide, "npm")
	if err != nil {
		return "", err
	}
	folder := filepath.Join(root, ".local", "dynoxide")
	modules, err := processes.InstallModules(ctx, folder, locked)
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("npm is not installed, which gets the database; it comes with Node.js: " +
			"https://nodejs.org/en/download (or set DYNAMODB_ENDPOINT to a DynamoDB that runs)")
	}
	if err != nil {
		return "", err
	}
	binary := filepath.Join(modules, "@dynoxide", platform(), "dynoxide")
	// npm leaves out an optional package that it cannot fetch, or whose hash is another one.
	if _, err := os.Stat(binary); err != nil {
		return "", errors.Join(fmt.Errorf("npm has installed no database for %s: the registry has none, or another "+
			"than is locked", platform()), os.RemoveAll(folder))
	}
	return binary, nil
}

// platform names this machine as Node does, for instance "linux-x64".
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}
