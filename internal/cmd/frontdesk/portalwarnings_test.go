package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/category/tree"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
)

// TestPortalsThatReadersDoNotGet: portal list and the doctor warn of a public portal from half of what a process can
// hold, and of a damaged one. They end as without warnings.
func TestPortalsThatReadersDoNotGet(t *testing.T) {
	o := onStack(t, fixture.WithoutFunctions(t))
	o.prints("mail-key", "create", "--name", "n", "--sender", "desk@example.com") // the doctor misses nothing
	// 40 kB in the table, and 240 kB of JSON.
	heavy := strings.Repeat("\x01", 40_000)
	for slug, c := range map[string]struct {
		categories int
		private    bool
	}{
		"damaged": {categories: 3},
		"half":    {categories: 40},
		"private": {categories: 40, private: true},
		"small":   {categories: 3},
		"whole":   {categories: 72},
	} {
		p := o.NewPortal(t, 1, slug, "en")
		var categories []tree.Category
		for i := range c.categories {
			categories = append(categories, tree.Category{
				ID: id.New(), Name: "n", Slug: fmt.Sprint("s", i), Locale: "en", Description: &heavy,
			})
		}
		o.PutCategories(t, p, categories)
		if slug == "damaged" {
			key := p.Category(categories[1].ID)
			if err := o.Table.UpdateItem(key).Set("name", []string{"damaged"}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		o.Publish(t, p, !c.private)
	}
	var said bytes.Buffer
	o.Err = &said
	listed := o.prints("portal", "list")
	expect.Equal(t, strings.Count(listed, "\n"), 6, "lines of the list")
	const (
		divide = "make several portals of it: internal/docs/categories.md"
		check  = "see which one it is: frontdesk check"
	)
	warnings := [][2]string{
		{"portal damaged of account 1 has no list for readers: category cannot be read: damaged attributes: name",
			check},
		{"portal half of account 1 has 9 of the 16 MiB of categories that readers can get", divide},
		{"portal whole of account 1 has more categories than readers can get: more than 16 MiB", divide},
	}
	notes, findings := "", ""
	for _, w := range warnings {
		notes += w[0] + "; " + w[1] + "\n"
		findings += "advice   portals: " + w[0] + "\n         " + w[1] + "\n"
	}
	expect.Equal(t, said.String(), notes, "portal list says")
	var advice strings.Builder
	lines := strings.SplitAfter(o.prints("doctor"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "advice   portals") {
			advice.WriteString(line + lines[i+1])
		}
	}
	expect.Equal(t, advice.String(), findings, "the doctor says")
}
