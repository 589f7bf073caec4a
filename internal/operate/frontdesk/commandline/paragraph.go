package commandline

import (
	"io"
	"strings"
)

// widest is the most columns of a line of prose or of a command. Longer lines are hard to read, and a pipe or a file
// has no width of its own.
const widest = 120

// width is how many columns a paragraph may take.
func (p Printer) width() int {
	if p.columns == 0 {
		return widest
	}
	return min(p.columns, widest)
}

// Paragraph prints a text as a line, which goes on below, behind an indent, where it would be too wide for the terminal
// or wider than 120 columns. Spaces at its beginning stay. Control characters are escaped.
func (p Printer) Paragraph(text string, indent int) {
	begin := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var words []Word
	for word := range strings.SplitSeq(text[len(begin):], " ") {
		words = append(words, Word{Text: word})
	}
	words[0].Text = begin + words[0].Text
	io.WriteString(p.w, wrap(words, indent, p.width(), false)+"\n")
}

// Command prints a command for a shell behind an indent. A line that would be too wide ends with a backslash, and goes
// on below, further in: pasted, the lines are the command. No line breaks within quotes.
func (p Printer) Command(command string, indent int) {
	const end = ` \`
	lines := p.whole(strings.TrimSpace(command), '\'', indent, len(end))
	io.WriteString(p.w, strings.ReplaceAll(lines, "\n", end+"\n")+"\n")
}

// Record prints a record of the DNS behind an indent. Where it would be too wide, it goes on below, further in, but
// does not break within quotes.
func (p Printer) Record(record string, indent int) {
	io.WriteString(p.w, p.whole(record, '"', indent, 0)+"\n")
}

// whole returns a text as lines, of which none breaks within quotes, and after each of which some columns are left.
func (p Printer) whole(text string, quote rune, indent, left int) string {
	var words []Word
	for _, word := range quotedWords(text, quote) {
		words = append(words, Word{Text: word})
	}
	words[0].Text = strings.Repeat(" ", indent) + words[0].Text
	return wrap(words, indent+2, p.width()-left, false)
}

// quotedWords returns the words of a text with their quotes, within which spaces part no words. A backslash takes the
// meaning from a quote behind it.
func quotedWords(text string, quote rune) (words []string) {
	var word strings.Builder
	quoted, escaped := false, false
	for _, c := range text {
		quoted = quoted != (c == quote && !escaped)
		escaped = c == '\\' && !quoted && !escaped
		if c == ' ' && !quoted {
			words = append(words, word.String())
			word.Reset()
			continue
		}
		word.WriteRune(c)
	}
	return append(words, word.String())
}
