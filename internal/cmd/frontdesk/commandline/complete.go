package commandline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Complete is the command that a shell's completion calls. It prints what the last word may become, a candidate a line:
// the word, a tab, and its help; or [files].
type Complete struct {
	Words []string `arg:"" optional:"" help:"The words behind the program's name; the last one is completed."`
}

// files, in place of a candidate, is any file's name.
const files = ":files"

// Run prints the candidates.
func (c Complete) Run(k *kong.Context, out Output) error {
	for _, line := range candidates(k.Model.Node, c.Words) {
		fmt.Fprintln(out.out, line)
	}
	return nil
}

// candidates are those for the last word. A "=" may be a word of its own: bash takes --flag=value apart.
func candidates(at *kong.Node, words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	if last == "=" {
		last, before = "", append(slices.Clone(before), "=")
	}
	var open *kong.Flag // waits for its value
	positional := 0
	for _, word := range before {
		switch {
		case word == "=":
		case open != nil:
			open = nil
		case strings.HasPrefix(word, "-"):
			if flag := findFlag(at, word); flag != nil && !flag.IsBool() {
				open = flag
			}
		default:
			if child := findChild(at, word); child != nil {
				at, positional = child, 0
			} else {
				positional++
			}
		}
		if at.Target.IsValid() {
			if _, ok := at.Target.Interface().(Help); ok { // the words behind it are those of a command
				at = at.Parent
			}
		}
	}
	name, value, assigned := strings.Cut(last, "=")
	switch {
	case open != nil:
		return valuesOf(open.Value, "", last)
	case strings.HasPrefix(last, "-") && assigned:
		if flag := findFlag(at, name); flag != nil {
			return valuesOf(flag.Value, name+"=", value)
		}
		return nil
	case strings.HasPrefix(last, "-"):
		return flagsOf(at, last)
	case len(at.Children) > 0:
		return childrenOf(at, last)
	case positional < len(at.Positional):
		return valuesOf(at.Positional[positional], "", last)
	}
	return nil
}

func findChild(at *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(at.Children, func(n *kong.Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return at.Children[i]
}

// findFlag finds a flag of the command, or of those above it.
func findFlag(at *kong.Node, word string) *kong.Flag {
	for ; at != nil; at = at.Parent {
		for _, f := range at.Flags {
			if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) ||
				slices.Contains(f.Aliases, strings.TrimPrefix(word, "--")) {
				return f
			}
		}
	}
	return nil
}

func childrenOf(at *kong.Node, prefix string) (lines []string) {
	for _, n := range at.Children {
		if !n.Hidden && strings.HasPrefix(n.Name, prefix) {
			lines = append(lines, n.Name+"\t"+n.Help)
		}
	}
	return lines
}

func flagsOf(at *kong.Node, prefix string) (lines []string) {
	for ; at != nil; at = at.Parent {
		for _, f := range at.Flags {
			for _, name := range []string{"--" + f.Name, negated(f)} {
				if name != "" && !f.Hidden && strings.HasPrefix(name, prefix) {
					lines = append(lines, name+"\t"+f.Help)
				}
			}
		}
	}
	return lines
}

func negated(f *kong.Flag) string {
	if f.Tag.Negatable == "" {
		return ""
	}
	return "--no-" + f.Name
}

// valuesOf are the values of a flag or an argument that has a few, or files.
func valuesOf(v *kong.Value, before, prefix string) (lines []string) {
	if v.Tag.Type == "path" {
		return []string{files}
	}
	if v.Enum == "" {
		return nil
	}
	for value := range strings.SplitSeq(v.Enum, ",") {
		if value != "" && strings.HasPrefix(value, prefix) {
			lines = append(lines, before+value+"\t"+v.Help)
		}
	}
	return lines
}
