// Package npm installs packages of npm that the stack and its tests run, and that are no part of the project.
package npm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"frontdesk/internal/local/filelock"
)

// Install returns the folder of a package under root/.local, and lets npm fetch it there first if it is not of the
// version that is wanted. Whenever that is interrupted, there is a whole one or none. Where npm is not installed the
// error is exec.ErrNotFound.
func Install(ctx context.Context, root, name, version string) (string, error) {
	prefix := filepath.Join(root, ".local")
	unlock, err := filelock.Lock(ctx, filepath.Join(prefix, "install.lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	within := filepath.Join("node_modules", filepath.FromSlash(name))
	folder := filepath.Join(prefix, within)
	if installedVersion(folder) == version {
		return folder, nil
	}
	// In a folder of its own: npm removes what else is in the one that it installs into.
	incoming := filepath.Join(prefix, "incoming")
	defer os.RemoveAll(incoming)
	if err := errors.Join(os.RemoveAll(incoming), os.Mkdir(incoming, 0o755)); err != nil {
		return "", fmt.Errorf("install %s: %w", name, err)
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", incoming, "--no-save", "--no-audit", "--no-fund",
		name+"@"+version)
	if output, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s with npm: %w\n%s", name, err, output)
	}
	if installedVersion(filepath.Join(incoming, within)) != version {
		return "", fmt.Errorf("install %s with npm: what it got is not version %s", name, version)
	}
	err = errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Dir(folder), 0o755))
	if err == nil {
		err = os.Rename(filepath.Join(incoming, within), folder)
	}
	if err != nil {
		return "", fmt.Errorf("install %s: %w", name, err)
	}
	return folder, nil
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
