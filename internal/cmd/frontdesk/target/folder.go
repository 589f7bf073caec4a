package target

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

// Folder is the flag --local, with or without a folder or a file.
type Folder struct{ path string }

// defaultFolder is where make run keeps its state, in the project's folder.
const defaultFolder = ".local"

// Decode reads the value after a "=", if there is one.
func (f *Folder) Decode(c *kong.DecodeContext) error {
	f.path = defaultFolder
	if next := c.Scan.Peek(); next.Type == kong.FlagValueToken {
		f.path = fmt.Sprint(c.Scan.Pop().Value)
	}
	return nil
}

// IsBool tells the parser that the flag needs no value.
func (*Folder) IsBool() bool { return true }

// read reads the variables of the stack. It looks for the usual folder in the working folder and in those above it.
func (f Folder) read() (file string, variables map[string]string, err error) {
	file = f.path
	if file == defaultFolder {
		file = above(defaultFolder)
	}
	if info, err := os.Stat(file); err != nil || info.IsDir() {
		file = filepath.Join(file, "demo.env")
	}
	variables, err = ReadVariables(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("there is no %s, which a local stack writes when it starts; is make run up?", file)
	case err != nil:
		return "", nil, err
	}
	return file, variables, nil
}

// above returns the nearest folder of that name that holds a demo.env, from the working folder upwards; without one,
// the bare name.
func above(name string) string {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, name, "demo.env")); err == nil {
			return filepath.Join(dir, name)
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return name
}

// ReadVariables reads the shell assignments of a demo.env, one on each line, such as NAME='value'.
func ReadVariables(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	variables := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			variables[name] = strings.Trim(value, "'")
		}
	}
	return variables, lines.Err()
}
