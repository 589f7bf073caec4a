package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"sync"

	"frontdesk/internal/api"
)

// file is what an address always answers. It is read and packed by the first request for it, so that a start
// costs nothing.
type file struct {
	header map[string]string
	packed func() (packed, error)
}

// packed is a file's content, gzipped, and its entity tag.
type packed struct {
	gzip []byte
	tag  string
}

func newFile(kind string, content []byte) *file {
	return newDerived(kind, func() ([]byte, error) { return content, nil })
}

// newDerived is a file whose content is made of something else.
func newDerived(kind string, read func() ([]byte, error)) *file {
	return makeFile(kind, func() ([]byte, error) {
		content, err := read()
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
		err = w.Close()
		return out.Bytes(), err
	})
}

// newPacked is a file that is gzipped already.
func newPacked(kind string, files fs.ReadFileFS, name string) *file {
	return makeFile(kind, func() ([]byte, error) { return files.ReadFile(name) })
}

func makeFile(kind string, read func() ([]byte, error)) *file {
	// A cache may keep the file, but asks each time: the names stay when the contents change.
	header := map[string]string{"content-type": kind, "cache-control": "no-cache", "vary": "accept-encoding"}
	return &file{header, sync.OnceValues(func() (packed, error) {
		content, err := read()
		if err != nil {
			return packed{}, fmt.Errorf("read a file of the page: %w", err)
		}
		sum := sha256.Sum256(content)
		tag := fmt.Sprintf("W/%q", hex.EncodeToString(sum[:8])) // weak: the same for both encodings
		return packed{content, tag}, nil
	})}
}

// with is the file with one header more.
func (f *file) with(name, value string) *file {
	f.header[name] = value
	return f
}

// answer is the file, gzipped for clients that take that. A client that has the file already is told that it has
// not changed.
func (f *file) answer(r *api.Request) (api.Response, error) {
	p, err := f.packed()
	if err != nil {
		return api.Response{}, err
	}
	header := maps.Clone(f.header)
	header["etag"] = p.tag
	if r.Has(p.tag) {
		return api.Response{Status: http.StatusNotModified, Body: []byte(nil), Header: header}, nil
	}
	if r.TakesGzip() {
		header["content-encoding"] = "gzip"
		return api.Response{Body: p.gzip, Header: header}, nil
	}
	content, err := gzip.NewReader(bytes.NewReader(p.gzip))
	if err != nil {
		return api.Response{}, fmt.Errorf("unpack a file of the page: %w", err)
	}
	body, err := io.ReadAll(content)
	if err != nil {
		return api.Response{}, fmt.Errorf("unpack a file of the page: %w", err)
	}
	return api.Response{Body: body, Header: header}, nil
}
