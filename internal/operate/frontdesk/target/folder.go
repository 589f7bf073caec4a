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

// Folder is the flag --local, with or without a folder or a file. Without a value it means [defaultFolder], and
// without the flag it is "".
type Folder struct{ path string }

// defaultFolder is where make run keeps its state, in the project's folder.
const defaultFolder = ".local"

// Decode reads the value after a "=", if there is one. Only a value behind a "=" belongs to the flag. In "--local
// status" the next word is the command.
func (f *Folder) Decode(c *kong.DecodeContext) error {
	f.path = defaultFolder
	if next := c.Scan.Peek(); next.Type == kong.FlagValueToken {
		f.path = fmt.Sprint(c.Scan.Pop().Value)
	}
	return nil
}

// IsBool tells the parser that the flag needs no value.
func (*Folder) IsBool() bool { return true }

// read reads the variables of the stack. It looks for the usual folder in the working folder and in those above it. A
// path to a file is that file, such as one of --env-file; a path to a folder means the demo.env in it.
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
// the bare name. So a command works in every folder of the project, as git does.
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

// ReadVariables reads the shell assignments of a demo.env, one on each line, such as NAME='value'. It reads what
// frontdesk itself writes, and is no shell: a line without "=" is skipped, and nothing is expanded.
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
