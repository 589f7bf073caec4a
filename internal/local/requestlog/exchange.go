package requestlog

import (
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"

	"frontdesk/internal/local/gateway"
	"frontdesk/internal/local/recent"
)

// exchange is what was asked and answered in one request, without secrets.
type exchange struct {
	Header map[string]string `json:"headers"` // of the request, by their names in lower case
	Body   content           `json:"body"`
	Answer content           `json:"answer"`
}

// content is a body.
type content struct {
	Text string `json:"text"` // empty for one that is no text: not UTF-8, or with a NUL, which no argument can have
	Size int    `json:"size"` // in bytes
	Cut  bool   `json:"cut"`  // the text is not all of it
}

// newExchange masks what a request had.
func newExchange(r gateway.Request) exchange {
	return exchange{maskHeader(r.Header), newContent(r.Body), newContent(r.Answer)}
}

// maxRest is how much is left out behind the last space of a text that was cut: half a secret is not known as one.
const maxRest = 100

func newContent(t gateway.Text) content {
	text, cut := t.Begin, t.Size > len(t.Begin)
	if cut {
		end := len(text)
		for wordEnd := end; end > max(0, wordEnd-maxRest) && !isBetweenWords(text[end-1]); end-- {
		}
		text = text[:end]
		for r, n := utf8.DecodeLastRuneInString(text); r == utf8.RuneError && n == 1; {
			text = text[:len(text)-1]
			r, n = utf8.DecodeLastRuneInString(text)
		}
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		text, cut = "", true
	}
	cut = cut || strings.Contains(text, hidden) // which mask takes out
	return content{mask(text), t.Size, cut}
}

func isBetweenWords(b byte) bool { return b == ' ' || b == '"' || b == ',' || b == '\n' || b == '>' }

// reason is why a request was refused: what a status of an error says of it, or an answer of another status that says
// itself that it is one.
func (e exchange) reason(status int) string {
	var said struct {
		Status, Message string
		Error           any
		Errors          []any
	}
	if json.Unmarshal([]byte(e.Answer.Text), &said) != nil || status < 400 && said.Status != "error" {
		return ""
	}
	for _, text := range append([]any{said.Error, said.Message}, said.Errors...) {
		if text, ok := text.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// warnings are those of an answer, in the words of the API. The answer to a mail names its list "warning", as the
// contract does; other answers name it "warnings".
func (e exchange) warnings() []string {
	var said struct{ Warning, Warnings []string }
	if json.Unmarshal([]byte(e.Answer.Text), &said) != nil {
		return nil
	}
	return append(said.Warning, said.Warnings...)
}

// maxExchanges is how much the exchanges that are kept have together, in bytes.
const maxExchanges = 32 << 20

// exchanges keeps those of the last requests. It is safe for concurrent use.
type exchanges struct {
	mu    sync.Mutex
	byID  map[string]exchange
	order []string // the oldest first
	size  int
}

func (x *exchanges) add(id string, e exchange) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byID[id], x.order, x.size = e, append(x.order, id), x.size+e.size()
	for x.size > maxExchanges || len(x.order) > recent.Max {
		x.size -= x.byID[x.order[0]].size()
		delete(x.byID, x.order[0])
		x.order = x.order[1:]
	}
}

// of is false for one that is not kept any more.
func (x *exchanges) of(id string) (e exchange, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e, ok = x.byID[id]
	return e, ok
}

func (e exchange) size() int {
	size := len(e.Body.Text) + len(e.Answer.Text)
	for name, value := range e.Header {
		size += len(name) + len(value)
	}
	return size
}
