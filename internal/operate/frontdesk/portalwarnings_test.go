package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/tree"
)

// TestPortalsThatReadersDoNotGet: portal list and the doctor warn of a public portal from half of what a process can
// hold, and of a damaged one. They end as without warnings.
func TestPortalsThatReadersDoNotGet(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t, fixture.WithoutFunctions(t))
		o.prints("mail-key", "create", "--name", "n", "--sender", "desk@example.com") // the doctor misses nothing
		// 40 kB in the table, and 240 kB of JSON.
		heavy := strings.Repeat("\x01", 40_000)
		fill := func(slug string, count int) (p table.Portal, categories []tree.Category) {
			p = o.NewPortal(t, 1, slug, "en")
			for i := range count {
				categories = append(categories, tree.Category{
					ID: id.New(), Name: "n", Slug: fmt.Sprint("s", i), Locale: "en", Description: &heavy,
				})
			}
			o.PutCategories(t, p, categories)
			return p, categories
		}
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
		listSays := func(portals int, warnings [][2]string) {
			t.Helper()
			var said bytes.Buffer
			o.Err = &said
			expect.Equal(t, strings.Count(o.prints("portal", "list"), "\n"), 1+portals, "lines of the list")
			notes := ""
			for _, w := range warnings {
				notes += w[0] + "; " + w[1] + "\n"
			}
			expect.Equal(t, said.String(), notes, "portal list says")
		}

		small, _ := fill("small", 3)
		o.Publish(t, small, true)
		damaged, categories := fill("damaged", 3)
		key := damaged.Category(categories[1].ID)
		if err := o.Table.UpdateItem(key).Set("name", []string{"damaged"}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		o.Publish(t, damaged, true)
		half, _ := fill("half", 40)
		listSays(3, warnings[:1]) // half is not public
		o.Publish(t, half, true)

		findings := ""
		for _, w := range warnings[:2] {
			findings += "advice   portals: " + w[0] + "\n         " + w[1] + "\n"
		}
		var advice strings.Builder
		lines := strings.SplitAfter(o.prints("doctor"), "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "advice   portals") {
				advice.WriteString(line + lines[i+1])
			}
		}
		expect.Equal(t, advice.String(), findings, "the doctor says")

		whole, _ := fill("whole", 72)
		o.Publish(t, whole, true)
		listSays(4, warnings)
	})
}
