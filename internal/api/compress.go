package api

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"strings"
)

const (
	// MaxPlain is the size of an answer's JSON in bytes before it is compressed. What it takes to make one of that size
	// fits into the memory and the time that functions have.
	MaxPlain = 32 << 20
	// minCompressed is the size in bytes of the smallest answer that is compressed: less fits into one packet anyway.
	minCompressed = 1 << 10
)

// MaxJSON is the size in bytes that the JSON of an answer to the request may have: [MaxPlain] where it is compressed,
// which may still be too large for Lambda then, and [MaxAnswer] otherwise.
func (r *Request) MaxJSON() int {
	if r.TakesGzip() {
		return MaxPlain
	}
	return MaxAnswer
}

// TakesGzip reads the header Accept-Encoding: whether the client takes gzip, and does not say that it prefers an answer
// without it.
// https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.3
func (r *Request) TakesGzip() bool {
	weights := map[string]float64{}
	for coding := range strings.SplitSeq(r.Headers["accept-encoding"], ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		weights[strings.ToLower(strings.TrimSpace(name))] = weight(parameters)
	}
	for _, name := range []string{"gzip", "x-gzip", "*"} { // a name counts before the star
		if q, named := weights[name]; named {
			return q > 0 && q >= weights["identity"]
		}
	}
	return false
}

// weight reads the weight of a coding: 1 where there is none, 0 where it is malformed.
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

// idle is a writer that waits for the next answer: each has a megabyte of tables, which cost more than to compress a
// small answer. A sync.Pool would lose it to every collection of garbage, and a process has one request at a time.
var idle = make(chan *gzip.Writer, 1)

// compress is content as gzip. To JSON, the levels beyond the first cost up to four times as much and save a seventh.
func compress(content []byte) ([]byte, error) {
	var w *gzip.Writer
	select {
	case w = <-idle:
	default:
		w, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one
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
