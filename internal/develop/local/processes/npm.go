package processes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// lockFile is the file by which npm ci knows each package's version and hash.
// https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json
const lockFile = "package-lock.json"

// InstallModules makes npm install into a folder what a package.json and a package-lock.json name, unless it is there
// already. It returns the folder of the packages. npm refuses a file with another hash than the locked one, and runs
// none of the packages' scripts. However an installation is interrupted, it leaves all packages or none. If npm is not
// installed, the error is exec.ErrNotFound.
func InstallModules(ctx context.Context, folder string, locked fs.FS) (modules string, err error) {
	unlock, err := Lock(ctx, folder+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	modules = filepath.Join(folder, "node_modules")
	lock, err := fs.ReadFile(locked, lockFile)
	if err != nil {
		return "", err
	}
	if installed, err := os.ReadFile(filepath.Join(folder, lockFile)); err == nil && bytes.Equal(installed, lock) {
		return modules, nil
	}
	incoming := folder + ".incoming"
	defer os.RemoveAll(incoming)
	err = errors.Join(os.RemoveAll(incoming), os.CopyFS(incoming, locked))
	if err != nil {
		return "", fmt.Errorf("install %s: %w", filepath.Base(folder), err)
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--prefix", incoming, "--ignore-scripts", "--no-audit", "--no-fund")
	if output, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s with npm: %w\n%s", filepath.Base(folder), err, output)
	}
	if err := errors.Join(os.RemoveAll(folder), os.Rename(incoming, folder)); err != nil {
		return "", fmt.Errorf("install %s: %w", filepath.Base(folder), err)
	}
	return modules, nil
}
