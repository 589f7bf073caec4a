package docs

import (
	"fmt"
	"io/fs"
	"sync"

	"frontdesk/internal/base/api"
)

// file is an answer that never changes. The first request for a file reads and packs it, so it adds nothing to the
// cold start.
type file struct {
	header  map[string]string
	encoded func() (*api.Encoded, error)
}

// newFile makes a file of content that is not packed yet.
func newFile(kind string, content []byte) *file {
	return makeFile(kind, func() (*api.Encoded, error) { return api.EncodeText(content) })
}

// newPacked makes a file of one that is gzipped already.
func newPacked(kind string, files fs.ReadFileFS, name string) *file {
	return makeFile(kind, func() (*api.Encoded, error) {
		content, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return api.Packed(content), nil
	})
}

func makeFile(kind string, encode func() (*api.Encoded, error)) *file {
	// no-cache lets a cache keep the file, but makes it ask each time: a name stays when its content changes.
	header := map[string]string{"content-type": kind, "cache-control": "no-cache"}
	return &file{header, sync.OnceValues(encode)}
}

// with adds a header field, and returns the file.
func (f *file) with(name, value string) *file {
	f.header[name] = value
	return f
}

// answer returns the file. A client that has this version already gets 304.
func (f *file) answer() (api.Response, error) {
	e, err := f.encoded()
	if err != nil {
		return api.Response{}, fmt.Errorf("read a file of the page: %w", err)
	}
	return api.Response{Body: e, Header: f.header}, nil
}
