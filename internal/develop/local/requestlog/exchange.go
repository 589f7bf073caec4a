package requestlog

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/develop/local/gateway"
)

// exchange is a request's headers and body, and its answer, as they were sent.
type exchange struct {
	Header map[string]string `json:"headers"` // of the request, by name in lower case; several values are joined
	Body   content           `json:"body"`
	Answer content           `json:"answer"`
}

// content is the text of a body, or its beginning.
type content struct {
	Text string `json:"text"` // empty if it is no text: not UTF-8, or with a NUL, which a command line cannot contain
	Size int    `json:"size"` // in bytes
	Cut  bool   `json:"cut"`  // whether the text is incomplete
}

func newExchange(r gateway.Request) exchange {
	header := map[string]string{}
	for name, values := range r.Header {
		header[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return exchange{header, newContent(r.Body), newContent(r.Answer)}
}

// newContent returns the content of a body of which the gateway has kept the beginning.
func newContent(t gateway.Text) content {
	text, cut := t.Begin, t.Size > len(t.Begin)
	// The cut may have left the first bytes of a character.
	for r, n := utf8.DecodeLastRuneInString(text); cut && r == utf8.RuneError && n == 1; {
		text = text[:len(text)-1]
		r, n = utf8.DecodeLastRuneInString(text)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		text, cut = "", true
	}
	return content{text, t.Size, cut}
}

// reason returns why a request was refused: the message of an error answer, including 200 with status error. It returns
// "" for other answers.
func (e exchange) reason(status int) string {
	var body struct {
		Status, Message string
		Error           any
		Errors          []any
	}
	if json.Unmarshal([]byte(e.Answer.Text), &body) != nil || status < 400 && body.Status != "error" {
		return ""
	}
	// The answers differ: the mail endpoint sends an error, API Gateway a message, and others a list of errors.
	for _, text := range append([]any{body.Error, body.Message}, body.Errors...) {
		if text, ok := text.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// warnings returns the warnings in an answer. The answer to a mail calls its list "warning", as in the contract; other
// answers call it "warnings".
func (e exchange) warnings() []string {
	var body struct{ Warning, Warnings []string }
	if json.Unmarshal([]byte(e.Answer.Text), &body) != nil {
		return nil
	}
	return append(body.Warning, body.Warnings...)
}

// size returns the bytes of the texts, which are nearly all of an exchange. Of nil it is 0.
func (e *exchange) size() int {
	if e == nil {
		return 0
	}
	size := len(e.Body.Text) + len(e.Answer.Text)
	for name, value := range e.Header {
		size += len(name) + len(value)
	}
	return size
}
