package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// Encoded is an answer to many requests, such as JSON: it is encoded and compressed once. As the Body of a [Response]
// it has a strong entity tag for each encoding. A client that sends this tag in If-None-Match gets 304.
// https://www.rfc-editor.org/rfc/rfc9110.html#section-8.8.3.3
type Encoded struct {
	content    []byte
	compressed bool // content is gzip; the few clients that do not accept it get it decompressed
	size       int  // in bytes, before compression
	hash       string
}

// Encode encodes v as JSON, and compresses it if it has more than a kilobyte.
func Encode(v any) (*Encoded, error) {
	content, err := marshalLine(v)
	if err != nil {
		return nil, err
	}
	return EncodeText(content)
}

// EncodeText compresses a content if it has more than a kilobyte.
func EncodeText(content []byte) (*Encoded, error) {
	e := &Encoded{content: content, size: len(content), hash: hashOf(content)}
	if e.size <= minCompressed {
		return e, nil
	}
	packed, err := compress(content)
	e.content, e.compressed = packed, true
	return e, err
}

// Gzipped takes a content that was compressed by gzip before.
func Gzipped(gzip []byte) *Encoded {
	size := binary.LittleEndian.Uint32(gzip[len(gzip)-4:]) // RFC 1952 section 2.3.1: ISIZE
	return &Encoded{content: gzip, compressed: true, size: int(size), hash: hashOf(gzip)}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// Size returns how much memory the content occupies, in bytes.
func (e *Encoded) Size() int { return cap(e.content) }

// tag returns the entity tag of the content as gzip, or plain. A strong tag identifies bytes, so the
// two differ.
func (e *Encoded) tag(gzip bool) string {
	if gzip && e.compressed {
		return `"` + e.hash + `-gzip"`
	}
	return `"` + e.hash + `"`
}

// plain returns the content, decompressed if need be.
func (e *Encoded) plain() ([]byte, error) {
	if !e.compressed {
		return e.content, nil
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(e.content))
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(make([]byte, 0, e.size+bytes.MinRead))
	_, err = out.ReadFrom(unpacked)
	return out.Bytes(), err
}

// Has reports whether the header If-None-Match lists this entity tag, or is a star, which matches every tag. It
// compares weakly (W/"a" equals "a"), and stops at the first malformed tag.
// https://www.rfc-editor.org/rfc/rfc9110.html#section-13.1.2
func (r *Request) Has(tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for rest := r.Headers["if-none-match"]; rest != ""; {
		rest = strings.TrimLeft(rest, ", \t")
		if strings.HasPrefix(rest, "*") {
			return true
		}
		rest = strings.TrimPrefix(rest, "W/")
		opaque, ok := strings.CutPrefix(rest, `"`)
		end := strings.IndexByte(opaque, '"')
		if !ok || end < 0 {
			return false
		}
		if rest[:end+2] == tag {
			return true
		}
		rest = opaque[end+1:]
	}
	return false
}
