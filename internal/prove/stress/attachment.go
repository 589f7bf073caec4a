package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
)

// attachment is a file that a mail attaches. All of its lines are equal, and each fills one line of base64, so that
// it can be found in a captured mail.
type attachment struct {
	name  string // unique
	lines int
}

// attachmentLine is how many bytes fill one line of base64 in a mail, which has 76 characters (RFC 2045 section 6.8).
const attachmentLine = 57

func (a attachment) line() []byte { return fmt.Appendf(nil, "%-*s\n", attachmentLine-1, a.name) }

func (a attachment) content() []byte { return bytes.Repeat(a.line(), a.lines) }

// isWholeIn reports whether a message contains the whole attachment.
func (a attachment) isWholeIn(message []byte) bool {
	encoded := base64.StdEncoding.EncodeToString(a.line())
	return bytes.Count(message, []byte(encoded+"\r\n")) == a.lines
}

// attachmentsPath is where the stack serves attachments; their number of lines and name follow.
const attachmentsPath = "/_local/attachments/"

func (a attachment) path() string { return fmt.Sprintf("%s%d/%s", attachmentsPath, a.lines, a.name) }

// serveAttachment answers with the attachment that the path describes, so the server keeps nothing for it.
func serveAttachment(w http.ResponseWriter, r *http.Request) {
	lines, err := strconv.Atoi(r.PathValue("lines"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(attachment{r.PathValue("name"), lines}.content())
}
