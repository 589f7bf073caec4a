package plaintext

import (
	"maps"
	"strings"
	"sync"

	"frontdesk/internal/mail/placeholder"
)

// Converter makes plain texts of HTML that differs in the values of its placeholders alone. Where it can it converts
// the HTML once, with the placeholders in it, and replaces them in the text. That is exact as long as no value holds
// markup, or changes what is around it, such as the line under a heading, which is as long as the heading. The first
// HTML with such values shows whether that is so: it is converted in both ways. Else each HTML is converted by itself.
//
// A Converter may be used concurrently.
type Converter struct {
	html    placeholder.Template
	escaped bool

	mu     sync.Mutex            // a conversion by itself takes as much time and memory as one may
	text   *placeholder.Template // of the HTML; nil where each is converted
	proven bool
}

// NewConverter makes a converter of what a template writes, given whether the values in it have HTML's escapes.
func NewConverter(html placeholder.Template, escaped bool) *Converter {
	c := &Converter{html: html, escaped: escaped}
	source, err := html.Write(maxConverted)
	if err != nil {
		return c
	}
	text, err := FromHTML(source)
	if err != nil {
		return c
	}
	// What stands in no text may be an attribute that hides something.
	if template := placeholder.Parse(text, html.Used); maps.Equal(template.Used, html.Used) {
		c.text = &template
	}
	return c
}

// Convert makes the plain text of HTML that the template has written, given the values in it, without escapes; "" where
// none can be made.
func (c *Converter) Convert(html string, of ...placeholder.Values) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	replaced, ok := c.replace(of)
	if ok && c.proven {
		return replaced
	}
	text, err := FromHTML(html)
	if ok {
		c.proven = err == nil && text == replaced
		if !c.proven {
			c.text = nil
		}
	}
	return text
}

// replace replaces the placeholders in the text, unless a value holds markup.
func (c *Converter) replace(of []placeholder.Values) (text string, ok bool) {
	if c.text == nil {
		return "", false
	}
	for _, values := range of {
		for name, value := range values {
			if c.html.Used[name] && !c.plain(value) {
				return "", false
			}
		}
	}
	text, err := c.text.Write(maxPlaintext, of...)
	return text, err == nil
}

// plain reports whether a value reads in HTML as it stands: it is there, without white space that HTML joins, and
// without markup, unless that is escaped.
func (c *Converter) plain(value string) bool {
	return value != "" && value == strings.Join(strings.Fields(value), " ") &&
		(c.escaped || !strings.ContainsAny(value, `<>&"'`))
}
