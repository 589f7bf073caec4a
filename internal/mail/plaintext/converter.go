package plaintext

import (
	"maps"
	"strings"
	"sync"

	"frontdesk/internal/mail/placeholder"
)

// Converter makes plain texts of HTML that differs only in the values of its placeholders. If possible it converts
// the HTML once, with the placeholders in it, and then replaces them in the text. That is exact as long as no value
// has markup, or changes the text around it, like the line under a heading, which is as long as the heading. The
// first HTML with plain values shows whether this works: it is converted in both ways, and the texts are compared. If
// they differ, each HTML is converted separately.
//
// A Converter may be used concurrently.
type Converter struct {
	html    placeholder.Template
	escaped bool

	mu     sync.Mutex            // one conversion at a time: each may use all the time and memory that the bounds allow
	text   *placeholder.Template // the text of the HTML; nil if each HTML is converted
	proven bool                  // both ways gave the same text once
}

// NewConverter returns a converter for the HTML that a template writes. escaped says whether the values in it have
// the escapes of HTML.
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
	// A placeholder that is missing from the text may be in an attribute that hides something.
	if template := placeholder.Parse(text, html.Used); maps.Equal(template.Used, html.Used) {
		c.text = &template
	}
	return c
}

// Convert returns the plain text of HTML that the template has written. The values are those in the HTML, without
// escapes. The text is "" if none can be made.
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

// replace replaces the placeholders in the text. ok is false if that may differ from a conversion.
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

// plain reports whether a value looks the same in the text as in HTML. It must not be empty, because an empty value
// may leave an empty line. It must have no white space that HTML would join, and no markup unless it is escaped.
func (c *Converter) plain(value string) bool {
	return value != "" && value == strings.Join(strings.Fields(value), " ") &&
		(c.escaped || !strings.ContainsAny(value, `<>&"'`))
}
