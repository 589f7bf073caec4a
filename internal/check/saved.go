package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// saved is the file that gets items as they are before a repair deletes or overwrites them: a line of JSON with a
// header, and one for each item. It is there once it has an item.
type saved struct {
	path   string
	header savedHeader
	file   *os.File // nil before the first item
	length savedLength
}

type savedHeader struct {
	Version int    `json:"frontdesk_repair"` // of the format
	Table   string `json:"table"`
}

const savedVersion = 1

// savedLength is how much the file has.
type savedLength struct {
	bytes int64
	items int
}

// save writes what changes lose, and returns when it is on the disk. Its error leaves the file as it was.
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

// create makes the file, for its owner alone: README.md says why.
func (s *saved) create() (err error) {
	s.file, err = os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(s.path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close()) // the name of the file is on the disk, too
}

// cut takes from the file what was written since it had a length.
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

func (s *saved) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
