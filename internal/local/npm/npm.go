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

// Package is a package of npm that needs no other.
type Package struct {
	Name, Version string
	Integrity     string // what its file is to hash to, such as "sha512-…"; empty: what the registry says
}

// Install returns the folder of a package under root/.local, and lets npm fetch it there first if it is not of the
// version that is wanted. npm refuses a file of another hash, and runs none of the package's scripts. Whenever that is
// interrupted, there is a whole package or none. Where npm is not installed the error is exec.ErrNotFound.
func Install(ctx context.Context, root string, p Package) (string, error) {
	prefix := filepath.Join(root, ".local")
	unlock, err := filelock.Lock(ctx, filepath.Join(prefix, "install.lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	within := filepath.Join("node_modules", filepath.FromSlash(p.Name))
	folder := filepath.Join(prefix, within)
	if installedVersion(folder) == p.Version {
		return folder, nil
	}
	// In a folder of its own: npm removes what else is in the one that it installs into.
	incoming := filepath.Join(prefix, "incoming")
	defer os.RemoveAll(incoming)
	err = errors.Join(os.RemoveAll(incoming), os.Mkdir(incoming, 0o755), p.lock(incoming))
	if err != nil {
		return "", fmt.Errorf("install %s: %w", p.Name, err)
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--prefix", incoming, "--ignore-scripts", "--no-audit", "--no-fund")
	if output, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s with npm: %w\n%s", p.Name, err, output)
	}
	if installedVersion(filepath.Join(incoming, within)) != p.Version {
		return "", fmt.Errorf("install %s with npm: what it got is not version %s", p.Name, p.Version)
	}
	err = errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Dir(folder), 0o755))
	if err == nil {
		err = os.Rename(filepath.Join(incoming, within), folder)
	}
	if err != nil {
		return "", fmt.Errorf("install %s: %w", p.Name, err)
	}
	return folder, nil
}

// lock writes what npm ci installs into a folder: the package alone.
// https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json
func (p Package) lock(folder string) error {
	type object = map[string]any
	root := object{"dependencies": object{p.Name: p.Version}}
	locked := object{"version": p.Version}
	if p.Integrity != "" {
		locked["integrity"] = p.Integrity
	}
	for name, content := range map[string]object{
		"package.json": root,
		"package-lock.json": {
			"lockfileVersion": 3,
			"packages":        object{"": root, "node_modules/" + p.Name: locked},
		},
	} {
		text, err := json.Marshal(content)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
