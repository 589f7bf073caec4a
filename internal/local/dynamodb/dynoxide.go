package dynamodb

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"

	"frontdesk/internal/local/npm"
)

// dynoxide implements DynamoDB's API on SQLite. It is one static binary, in an npm package for each platform.
const (
	dynoxideVersion = "1.2.1"
	dynoxideScope   = "@dynoxide"
)

// integrity pins the hash of a package for the platform of continuous integration. For another platform, the registry's
// own hash counts.
var integrity = map[string]string{
	"linux-x64": "sha512-sBHqlxJ9ANkLluFkYRfd5r8Y0ApFew4FhOrlhgRAgD4XzEoFOukEo1nuBTQ1+jTtofqwn4NWQ2k0Tn5mNTjgUg==",
}

// Install returns the path of the binary below root/.local. If the wanted version is not there, npm fetches it.
func Install(ctx context.Context, root string) (string, error) {
	folder, err := npm.Install(ctx, root, npm.Package{
		Name: dynoxideScope + "/" + platform(), Version: dynoxideVersion, Integrity: integrity[platform()],
	})
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("npm is not installed, which gets the database; it comes with Node.js: " +
			"https://nodejs.org/en/download (or set DYNAMODB_ENDPOINT to a DynamoDB that runs)")
	}
	return filepath.Join(folder, "dynoxide"), err
}

// platform names this machine as Node does, for instance "linux-x64".
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}
