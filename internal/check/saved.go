package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// saved is the file that keeps items as they were before a repair deleted or overwrote them. It consists of lines of
// JSON: a header, then one line per item. The file is created with its first item.
type saved struct {
	path   string
	header savedHeader
	file   *os.File // nil before the first item
	length savedLength
}

// savedHeader identifies the file and its table, so that its items are not put back into another one.
type savedHeader struct {
	Version int    `json:"frontdesk_repair"` // of the format
	Table   string `json:"table"`
}

// savedVersion is the version of the format.
const savedVersion = 1

// savedLength is the length of the file.
type savedLength struct {
	bytes int64
	items int
}

// save appends what the changes lose, and returns once it is on the disk. If it fails, the file stays as it was.
func (s *saved) save(changes []change) error {
	var lines bytes.Buffer
	encoder, items := json.NewEncoder(&lines), 0
	if s.length.items == 0 {
		if err := encoder.Encode(s.header); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if c.loses() {
			items++
			if err := encoder.Encode(c); err != nil {
				return err
			}
		}
	}
	if items == 0 {
		return nil
	}
	before := s.length
	if err := s.write(lines.Bytes()); err != nil {
		return errors.Join(err, s.cut(before))
	}
	s.length.items += items
	return nil
}

// write appends lines and waits until they are on the disk.
func (s *saved) write(lines []byte) error {
	if s.file == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	n, err := s.file.Write(lines)
	s.length.bytes += int64(n)
	if err != nil {
		return err
	}
	return s.file.Sync()
}

// create creates the file, readable by its owner only; README.md says why. It fails if the file exists.
func (s *saved) create() (err error) {
	s.file, err = os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(s.path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close()) // so that the file's name is on the disk too
}

// cut shortens the file to an earlier length. Without any item left, it removes the file.
func (s *saved) cut(to savedLength) error {
	if s.file == nil {
		return nil
	}
	s.length = to
	if to.items > 0 {
		return errors.Join(s.file.Truncate(to.bytes), s.file.Sync())
	}
	err := errors.Join(s.file.Close(), os.Remove(s.path))
	s.file = nil
	return err
}

// close closes the file, if there is one.
func (s *saved) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
