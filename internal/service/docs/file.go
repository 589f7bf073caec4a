package docs

import (
	"fmt"
	"io/fs"
	"maps"
	"sync"

	"frontdesk/internal/base/api"
)

// file is an answer that never changes. The first request for a file reads and packs it, so it adds nothing to the
// cold start.
type file struct {
	kind    string // its type
	encoded func() (*api.Encoded, error)
}

// newFile makes a file of content that is not packed yet.
func newFile(kind string, content []byte) *file {
	return makeFile(kind, func() (*api.Encoded, error) { return api.EncodeText(content) })
}

// newRead makes a file of one that is not packed yet.
func newRead(kind string, files fs.ReadFileFS, name string) *file {
	return makeFile(kind, func() (*api.Encoded, error) {
		content, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return api.EncodeText(content)
	})
}

// newGzipped makes a file of one that is gzipped already.
func newGzipped(kind string, files fs.ReadFileFS, name string) *file {
	return makeFile(kind, func() (*api.Encoded, error) {
		content, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return api.Gzipped(content), nil
	})
}

func makeFile(kind string, encode func() (*api.Encoded, error)) *file {
	return &file{kind, sync.OnceValues(encode)}
}

// answer returns the file with a header, which may be nil. A client that has this version already gets 304. no-cache
// lets a cache keep the file, but makes it ask each time: a name stays when its content changes.
func (f *file) answer(header map[string]string) (api.Response, error) {
	e, err := f.encoded()
	if err != nil {
		return api.Response{}, fmt.Errorf("read a file of the page: %w", err)
	}
	all := map[string]string{"content-type": f.kind, "cache-control": "no-cache"}
	maps.Copy(all, header)
	return api.Response{Body: e, Header: all}, nil
}
