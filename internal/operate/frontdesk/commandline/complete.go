package commandline

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Complete is the command that a shell's completion calls. It prints what the last word may become, one candidate on
// each line: the word, a tab, and its help. The line [files] asks the shell for names of files.
type Complete struct {
	Words []string `arg:"" optional:"" help:"The words behind the program's name; the last one is completed."`
}

// files stands for the name of any file. Shells complete those themselves, with ~ and spaces as their users know it.
// No word of a grammar begins with a colon.
const files = ":files"

// Run prints the candidates.
func (c Complete) Run(k *kong.Context, out Output) error {
	for _, line := range candidates(k.Model.Node, c.Words) {
		fmt.Fprintln(out.out, line)
	}
	return nil
}

// candidates returns the lines for the last word. It follows the words before it from the program to a command, and
// ignores mistakes in them: a person is still typing. A "=" may be a word of its own, because bash takes
// --flag=value apart.
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

// findChild returns the command of a name in a group, or nil.
func findChild(at *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(at.Children, func(n *kong.Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return at.Children[i]
}

// findFlag finds a flag of the command, or of those above it: a flag of the whole program may stand anywhere. It
// returns nil for an unknown one.
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

// childrenOf returns the lines of a group's commands, without the hidden ones.
func childrenOf(at *kong.Node, prefix string) (lines []string) {
	for _, n := range at.Children {
		if !n.Hidden && strings.HasPrefix(n.Name, prefix) {
			lines = append(lines, n.Name+"\t"+n.Help)
		}
	}
	return lines
}

// flagsOf returns the lines of the flags of a command and of those above it. It does not leave out flags that were
// given already: some may be repeated.
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

// negated returns the form that turns a flag off, "" if it has none.
func negated(f *kong.Flag) string {
	if f.Tag.Negatable == "" {
		return ""
	}
	return "--no-" + f.Name
}

// valuesOf returns the lines of a value that has few possibilities, or [files] for a path, or nothing. The parser
// refuses others than those of the tag enum. Those of the tag values, and of a type that tells its values, are for
// somebody else to judge, such as the API. before is what the word has in front of the value, such as "--reason=".
func valuesOf(v *kong.Value, before, prefix string) (lines []string) {
	if v.Tag.Type == "path" {
		return []string{files}
	}
	of := v.Target.Type()
	if v.IsSlice() {
		of = of.Elem()
	}
	values := strings.Split(cmp.Or(v.Enum, v.Tag.Get("values")), ",")
	if told, ok := reflect.Zero(of).Interface().(interface{ Values() []string }); ok {
		values = told.Values()
	}
	for _, value := range values {
		if value != "" && strings.HasPrefix(value, prefix) {
			lines = append(lines, before+value+"\t"+v.Help)
		}
	}
	return lines
}
