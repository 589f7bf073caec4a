package check

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// state is a file of lines of JSON: a header, and the pages that were read.
type state struct {
	file *os.File
	json *json.Encoder
}

// header identifies the check to which a state belongs.
type header struct {
	Table, ID string
	Segments  int
	Build     string // of this program; another version may make other statements
}

// resume opens the state file, or creates it, and adds its pages to the scan. It overwrites an incomplete last line,
// which an interrupted check leaves behind.
func (s *scan) resume(path string, of header) (err error) {
	of.Build, err = build()
	if err != nil {
		return err
	}
	// Only the owner may read it: keys contain e-mail addresses.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	s.state = &state{file, json.NewEncoder(file)}
	end, err := s.addLines(file, of)
	if err == nil {
		err = file.Truncate(end)
	}
	if err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err == nil && end == 0 {
		err = s.state.write(of)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return nil
}

// addLines adds the pages of a state, and fails if it belongs to another check. End is the end of the last complete
// line, in bytes.
func (s *scan) addLines(file *os.File, of header) (end int64, err error) {
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		if end == 0 {
			var begun header
			if err := json.Unmarshal(line, &begun); err != nil || begun != of {
				return 0, fmt.Errorf("%s is of another table, of other --segments or of another version of frontdesk: "+
					"remove it to begin anew", file.Name())
			}
		} else if err := s.addLine(line); err != nil {
			return 0, fmt.Errorf("%s: %w: remove it to begin anew", file.Name(), err)
		}
		end += int64(len(line))
	}
}

// addLine adds one recorded page, and refuses one that this check could not have written.
func (s *scan) addLine(line []byte) error {
	var p page
	if err := json.Unmarshal(line, &p); err != nil {
		return err
	}
	if p.Segment < 0 || p.Segment >= s.segments {
		return fmt.Errorf("there is no segment %d", p.Segment)
	}
	said := make([]statement, len(p.Said)/binary.Size(statement{}))
	below := make([]edge, len(p.Below)/binary.Size(edge{}))
	if err := binary.Read(bytes.NewReader(p.Said), binary.BigEndian, said); err != nil {
		return err
	}
	if err := binary.Read(bytes.NewReader(p.Below), binary.BigEndian, below); err != nil {
		return err
	}
	s.add(p, said, below)
	return nil
}

// write appends a line. Lines are written as soon as a page was read, so an interruption loses only the page that each
// segment is reading.
func (st *state) write(line any) error {
	if err := st.json.Encode(line); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// close closes the file, and removes it if the check has ended.
func (st *state) close(ended bool) error {
	err := st.file.Close()
	if ended {
		err = errors.Join(err, os.Remove(st.file.Name()))
	}
	return err
}

// build identifies this build of the program, by the size and the time of its file.
func build() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC()), nil
}
