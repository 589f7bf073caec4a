// Package npm installs npm packages that the stack and its tests run, and that are no part of the project.
package npm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"frontdesk/internal/local/processes"
)

// Package is an npm package without dependencies.
type Package struct {
	Name, Version string
	Integrity     string // expected hash of its file, for instance "sha512-…"; empty means the registry's
}

// Install returns the folder of a package below root/.local. If the wanted version is not there, npm fetches it. npm
// refuses a file with another hash, and runs none of the package's scripts. However an installation is interrupted, it
// leaves the whole package or none. If npm is not installed, the error is exec.ErrNotFound.
func Install(ctx context.Context, root string, p Package) (string, error) {
	prefix := filepath.Join(root, ".local")
	unlock, err := processes.Lock(ctx, filepath.Join(prefix, "install.lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	within := filepath.Join("node_modules", filepath.FromSlash(p.Name))
	folder := filepath.Join(prefix, within)
	if installedVersion(folder) == p.Version {
		return folder, nil
	}
	// In a separate folder, because npm removes everything else from the folder that it installs into.
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
	// This is checked before the package takes the place of the installed one.
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

// lock writes the files from which npm ci installs exactly this package.
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

// installedVersion returns "" if there is no package in the folder.
func installedVersion(folder string) string {
	var manifest struct{ Version string }
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil || json.Unmarshal(text, &manifest) != nil {
		return ""
	}
	return manifest.Version
}
