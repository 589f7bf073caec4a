package api

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"strings"
)

const (
	// MaxPlain is the largest size of an answer's JSON in bytes before compression. Lambda limits only the compressed
	// answer; this limit keeps what the function needs to build it within its memory and its time.
	MaxPlain = 32 << 20
	// minCompressed is the size in bytes up to which an answer stays uncompressed: it fits into one packet anyway.
	minCompressed = 1 << 10
)

// MaxJSON returns how many bytes of JSON an answer to this request may have: [MaxPlain] if the answer will be
// compressed, else [MaxAnswer]. Compressed JSON can still exceed [MaxAnswer]; then the answer is an error.
func (r *Request) MaxJSON() int {
	if r.TakesGzip() {
		return MaxPlain
	}
	return MaxAnswer
}

// TakesGzip reports whether the header Accept-Encoding accepts gzip and does not prefer an uncompressed answer. Without
// the header the answer is not compressed.
// https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.3
func (r *Request) TakesGzip() bool {
	weights := map[string]float64{}
	for coding := range strings.SplitSeq(r.Headers["accept-encoding"], ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		weights[strings.ToLower(strings.TrimSpace(name))] = weight(parameters)
	}
	for _, name := range []string{"gzip", "x-gzip", "*"} { // a name takes precedence over the star
		if q, named := weights[name]; named {
			return q > 0 && q >= weights["identity"]
		}
	}
	return false
}

// weight parses the parameters of a coding. It returns 1 if there are none, and 0, "not acceptable", if they
// are malformed.
func weight(parameters string) float64 {
	name, value, given := strings.Cut(parameters, "=")
	if !given && strings.TrimSpace(parameters) == "" {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !strings.EqualFold(strings.TrimSpace(name), "q") || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}

// idle keeps one gzip writer for the next answer. A writer allocates about a megabyte of tables, which costs more than
// compressing a small answer. A sync.Pool would drop it at garbage collections. One is enough, because a Lambda process
// handles one request at a time.
var idle = make(chan *gzip.Writer, 1)

// compress returns content as gzip, at the fastest level: for JSON, higher levels take up to four times as long and
// save a seventh.
func compress(content []byte) ([]byte, error) {
	var w *gzip.Writer
	select {
	case w = <-idle:
	default:
		w, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the only error is an invalid level
	}
	var out bytes.Buffer
	w.Reset(&out)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	select {
	case idle <- w:
	default:
	}
	return out.Bytes(), nil
}
