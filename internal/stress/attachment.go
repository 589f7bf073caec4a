package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// file is an attachment. All of its lines are the same and have the length that fills a line of base64, so that a
// captured mail can be searched for it.
type file struct {
	name  string // no other's
	lines int
}

// fileLine is how many bytes make one line of base64 in a mail, which has 76 characters (RFC 2045 section 6.8).
const fileLine = 57

func (f file) line() []byte { return fmt.Appendf(nil, "%-*s\n", fileLine-1, f.name) }

func (f file) content() []byte { return bytes.Repeat(f.line(), f.lines) }

// wholeIn reports whether a message has the file, all of it.
func (f file) wholeIn(message []byte) bool {
	encoded := base64.StdEncoding.EncodeToString(f.line())
	return bytes.Count(message, []byte(encoded+"\r\n")) == f.lines
}

// fileServer serves on the loopback what mails attach.
type fileServer struct {
	url    string
	server *http.Server
}

func serveFiles() (*fileServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve attachments: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{lines}/{name}", func(w http.ResponseWriter, r *http.Request) {
		lines, err := strconv.Atoi(r.PathValue("lines"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(file{r.PathValue("name"), lines}.content())
	})
	s := &fileServer{"http://" + listener.Addr().String(), &http.Server{Handler: mux}}
	go s.server.Serve(listener)
	return s, nil
}

func (s *fileServer) urlOf(f file) string { return fmt.Sprintf("%s/%d/%s", s.url, f.lines, f.name) }

func (s *fileServer) close() { s.server.Close() }
