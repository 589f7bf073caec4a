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

// file is an answer that never changes. The first request for a file reads and packs it, so it adds nothing to the
// cold start.
type file struct {
	header map[string]string
	packed func() (packed, error)
}

// packed is the content of a file after gzip, with its entity tag.
type packed struct {
	gzip []byte
	tag  string
}

// newFile makes a file of content that is not packed yet.
func newFile(kind string, content []byte) *file {
	return newDerived(kind, func() ([]byte, error) { return content, nil })
}

// newDerived makes a file whose content is computed by read, once for each process.
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

// newPacked makes a file of one that is gzipped already.
func newPacked(kind string, files fs.ReadFileFS, name string) *file {
	return makeFile(kind, func() ([]byte, error) { return files.ReadFile(name) })
}

// makeFile makes a file of content that is gzipped when it is read. The packed form is kept, because most clients
// accept gzip; for others it is unpacked again.
func makeFile(kind string, read func() ([]byte, error)) *file {
	// no-cache lets a cache keep the file, but makes it ask each time: a name stays when its content changes.
	header := map[string]string{"content-type": kind, "cache-control": "no-cache", "vary": "accept-encoding"}
	return &file{header, sync.OnceValues(func() (packed, error) {
		content, err := read()
		if err != nil {
			return packed{}, fmt.Errorf("read a file of the page: %w", err)
		}
		sum := sha256.Sum256(content)
		tag := fmt.Sprintf("W/%q", hex.EncodeToString(sum[:8])) // weak: both encodings have it (RFC 9110 section 8.8.1)
		return packed{content, tag}, nil
	})}
}

// with adds a header field, and returns the file.
func (f *file) with(name, value string) *file {
	f.header[name] = value
	return f
}

// answer returns the file, gzipped if the client accepts that. A client that has this version already gets 304.
func (f *file) answer(r *api.Request) (api.Response, error) {
	p, err := f.packed()
	if err != nil {
		return api.Response{}, err
	}
	header := maps.Clone(f.header)
	header["etag"] = p.tag
	// RFC 9110 section 13.1.2: If-None-Match compares weakly, so the tag fits both encodings.
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
