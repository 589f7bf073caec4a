package plaintext

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jaytaylor/html2text"
	"golang.org/x/net/html"
)

// TestMailsOfTheCorpusReadWell judges the plain text of mails as people receive them. It also judges the text that
// html2text alone makes of them: a judge that finds few faults there would see too little.
func TestMailsOfTheCorpusReadWell(t *testing.T) {
	t.Parallel()
	mails := corpus(t)
	if len(mails) < 60 {
		t.Fatalf("%d mails", len(mails))
	}
	badBefore, before := 0, map[string]int{}
	for name, source := range mails {
		text, err := FromHTML(source)
		if err != nil {
			t.Errorf("%s: %s", name, err)
		}
		unshaped := withoutShape(t, source)
		p, bad := readPage(source), false
		for fault, found := range faults {
			if what := found(p, text); what != "" {
				t.Errorf("%s: %s: %q", name, fault, what)
			}
			if found(p, unshaped) != "" {
				before[fault]++
				bad = true
			}
		}
		if bad {
			badBefore++
		}
	}
	t.Logf("html2text alone: %d of %d bad", badBefore, len(mails))
	for _, fault := range slices.Sorted(maps.Keys(before)) {
		t.Logf("%5d %s", before[fault], fault)
	}
	if badBefore < len(mails)/2 {
		t.Errorf("html2text alone makes %d bad texts of %d: the judge sees too little", badBefore, len(mails))
	}
}

// corpus reads the mails of testdata/corpus by their names. The SOURCE file in each folder says where they are from.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*/*.html")
	if err != nil {
		t.Fatal(err)
	}
	mails := map[string]string{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mails[strings.TrimPrefix(file, "testdata/corpus/")] = string(source)
	}
	return mails
}

// withoutShape returns the text that html2text makes of a tree that was not shaped.
func withoutShape(t testing.TB, source string, options ...html2text.Options) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	text, err := html2text.FromHTMLNode(doc, options...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// FuzzShape looks for pages for which the shaper panics, leaves a tag, or loses a word that html2text keeps. It skips
// the last check for pages that may hide words.
func FuzzShape(f *testing.F) {
	for _, source := range corpus(f) {
		if len(source) < 3000 {
			f.Add(source)
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		doc, err := parse(source, time.Now().Add(time.Hour))
		if err != nil {
			if _, err := fromTokens(source, newEffort(convertedWithin)); err != nil {
				t.Fatal(err)
			}
			return
		}
		text, err := shape(doc, newEffort(convertedWithin))
		if err != nil {
			t.Fatal(err)
		}
		page := readPage(source)
		if strings.Contains(text, "<") && !strings.Contains(textOf(page.doc)+page.hrefs+page.images, "<") {
			t.Errorf("a tag in %q", text)
		}
		if strings.Contains(text, "\n\n\n") {
			t.Errorf("three line feeds in %q", text)
		}
		if mayHide(source) {
			return
		}
		text = ignored.Replace(text)
		for _, word := range words(withoutShape(t, source, html2text.Options{OmitLinks: true})) {
			// In bold text html2text writes targets of links in spite of OmitLinks.
			if !strings.Contains(text, word) && !strings.Contains(page.hrefs, word) {
				t.Errorf("word %q lost in %q", word, text)
			}
		}
	})
}

// mayHide reports whether a page may have words that no reader sees.
func mayHide(source string) bool {
	source = strings.ToLower(source)
	return slices.ContainsFunc([]string{
		"style", "hidden", "width", "script", "iframe", "noscript", "noembed", "noframes", "template", "title",
	}, func(s string) bool { return strings.Contains(source, s) })
}
