package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// page is one Markdown file of the project.
type page struct {
	path    string // in the project's folder
	text    string
	blocks  []block
	anchors []string // anchors of its headings, to which links can lead
	links   []string // targets of its links, except those on the web
}

// block is a block of commands, as a reader pastes it.
type block struct {
	name   string // page, section and place in the section: "README.md, Run it 1"
	script string
	shows  []string // lines that the page shows below the block; … in them stands for anything
}

// readPages reads every Markdown file of the project, except in hidden folders other than .github.
func readPages(t testing.TB) (pages []page) {
	t.Helper()
	root, err := projectRoot("")
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && path != ".github" && strings.HasPrefix(path, "."):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		pages = append(pages, parsePage(path, string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// findBlock returns the block with a name.
func findBlock(t testing.TB, name string) block {
	t.Helper()
	for _, p := range readPages(t) {
		for _, b := range p.blocks {
			if b.name == name {
				return b
			}
		}
	}
	t.Fatalf("there is no block %q", name)
	return block{}
}

// Inline code is left out of the search for links, because commands have brackets and parentheses, too.
var (
	inlineCode = regexp.MustCompile("`[^`]*`")
	linkTarget = regexp.MustCompile(`\]\(([^)]+)\)`)
)

// parsePage finds what the tests check of a page. Of fenced blocks only those of the language sh are commands. The
// lines that a block prints stand indented below it, after an empty line.
func parsePage(path, text string) page {
	const fence = "```"
	p := page{path: path, text: text}
	section, n := "", 0
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if language, fenced := strings.CutPrefix(lines[i], fence); fenced {
			script := ""
			for i++; i < len(lines) && lines[i] != fence; i++ {
				script += lines[i] + "\n"
			}
			if language == "sh" {
				n++
				name := fmt.Sprintf("%s, %s %d", path, section, n)
				p.blocks = append(p.blocks, block{name, script, indented(lines[min(i+2, len(lines)):])})
			}
			continue
		}
		if marks, heading, _ := strings.Cut(lines[i], " "); marks != "" && strings.Trim(marks, "#") == "" {
			section, n = heading, 0
			p.anchors = append(p.anchors, anchor(heading))
		}
		for _, link := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(lines[i], ""), -1) {
			if !strings.Contains(link[1], "://") {
				p.links = append(p.links, link[1])
			}
		}
	}
	return p
}

// indented returns the indented lines at the beginning.
func indented(lines []string) (text []string) {
	for _, line := range lines {
		line, ok := strings.CutPrefix(line, "    ")
		if !ok {
			break
		}
		text = append(text, line)
	}
	return text
}

// anchor returns the anchor that GitHub makes of a heading.
func anchor(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ' || c == '-':
			return '-'
		case c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, heading)
}

// TestBlocksAreForEveryShell: blocks have no comments, because an interactive zsh takes a comment for arguments.
func TestBlocksAreForEveryShell(t *testing.T) {
	comment := regexp.MustCompile(`(?m)(^|\s)#.*`)
	for _, p := range readPages(t) {
		for _, b := range p.blocks {
			if found := comment.FindString(b.script); found != "" {
				t.Errorf("%s has the comment %s", b.name, found)
			}
		}
	}
}

// TestLinksLeadSomewhere: every link leads to a file or a folder that exists, and to a heading if it names one. Every
// page has a link to it. Links to the web are not tried: a test must not depend on the network.
func TestLinksLeadSomewhere(t *testing.T) {
	root, err := projectRoot("")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]page{}
	for _, p := range readPages(t) {
		pages[p.path] = p
	}
	linked := map[string]bool{"README.md": true}
	for _, p := range pages {
		for _, link := range p.links {
			file, heading, named := strings.Cut(link, "#")
			target := p.path
			if file != "" {
				target = path.Join(path.Dir(p.path), file)
				linked[target] = true
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: %v", p.path, link, err)
			}
			if named && !slices.Contains(pages[target].anchors, heading) {
				t.Errorf("%s links to %s: there is no such heading", p.path, link)
			}
		}
	}
	for name := range pages {
		if !linked[name] {
			t.Errorf("no page links to %s", name)
		}
	}
}
