package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// page is one of the project's Markdown files.
type page struct {
	path   string // in the project's folder
	text   string
	blocks []block
}

// block is a block of commands of a page, as a reader pastes it.
type block struct {
	name   string // page, section and place in the section: "README.md, Run it 1"
	script string
	shows  []string // the lines that the page shows below the block; … in them is anything
}

// readPages reads every Markdown file of the project, but for hidden folders.
func readPages(t *testing.T) (pages []page) {
	t.Helper()
	root, err := projectRoot()
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(path, "."):
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
		}
	}
	return p
}

// indented are the indented lines that others begin with.
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
