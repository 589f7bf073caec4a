package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/operate/transfer/exporting"
	"frontdesk/internal/operate/transfer/importing"
)

// importedTree is a file with a portal, its categories and its members. Nobody else changes them.
type importedTree struct {
	slug    string
	records []transfer.Record
	file    []byte
	done    bool // the import was acknowledged
}

const (
	treeAccount    = id.ID(9) // an account of no client
	treeCategories = 12
	treeMembers    = 2
)

// newTree draws a tree.
func (o *operator) newTree() *importedTree {
	t := &importedTree{slug: o.name("tree")}
	t.records = append(t.records, transfer.Portal{
		Account: treeAccount, Slug: t.slug, Name: t.slug, Locales: []string{"en"}, DefaultLocale: "en",
	})
	for n := id.ID(1); n <= treeCategories; n++ {
		category := transfer.Category{
			Account: treeAccount, Portal: t.slug, ID: transfer.IDOf(n), Locale: "en",
			Name: fmt.Sprintf("Category %d", n), Slug: fmt.Sprintf("category-%d", n),
		}
		if n > 1 {
			category.Parent = transfer.IDOf(1 + id.ID(o.rng.Int64N(int64(n-1))))
			category.Related = []transfer.ID{transfer.IDOf(n%treeCategories + 1)}
		}
		t.records = append(t.records, category)
	}
	for n := id.ID(1); n <= treeMembers; n++ {
		email := fmt.Sprintf("%s-%d@example.org", t.slug, n)
		t.records = append(t.records,
			transfer.User{ID: transfer.IDOf(n), Name: "Member", Email: email},
			transfer.Member{Account: treeAccount, Portal: t.slug, User: transfer.IDOf(n)})
	}
	o.rng.Shuffle(len(t.records), func(i, j int) { t.records[i], t.records[j] = t.records[j], t.records[i] })
	t.file = fileOf(t.records)
	o.trees = append(o.trees, t)
	return t
}

// fileOf returns a file of these records. The records are our own, so an error is a fault of the suite.
func fileOf(records []transfer.Record) []byte {
	var file bytes.Buffer
	w, err := transfer.NewWriter(&file, time.Now())
	for _, record := range records {
		err = errors.Join(err, w.Write(record))
	}
	if err := errors.Join(err, w.End(nil)); err != nil {
		panic(fmt.Sprintf("a file that is none: %v", err))
	}
	return file.Bytes()
}

// importTree imports a tree, and then exports it.
func (o *operator) importTree(ctx context.Context, rng *rand.Rand, t *importedTree) {
	_, err := repeated(ctx, rng, func(ctx context.Context) error {
		_, err := o.imported(ctx, t)
		return err
	})
	if err != nil {
		return
	}
	t.done = true
	var got []byte
	if _, err := repeated(ctx, rng, func(ctx context.Context) (err error) {
		got, err = o.exported(ctx, t)
		return err
	}); err == nil {
		t.check(got, o.violations)
	}
}

// imported imports the tree once.
func (o *operator) imported(ctx context.Context, t *importedTree) (importing.Report, error) {
	lines, err := transfer.Read(bytes.NewReader(t.file))
	if err != nil {
		return importing.Report{}, err
	}
	plan, wrong, err := importing.Validate(ctx, o.table, lines, importing.Options{Rate: 1000})
	if err != nil {
		return importing.Report{}, err
	}
	if len(wrong) > 0 {
		o.violations.add("the file of %s is refused: %+v", t.slug, wrong)
		return importing.Report{}, nil
	}
	return plan.Write(ctx)
}

// exported exports the tree once. It is no violation if the export says that the portal was changed meanwhile,
// because a late write of the import may have arrived: the caller repeats it.
func (o *operator) exported(ctx context.Context, t *importedTree) ([]byte, error) {
	var file bytes.Buffer
	report, err := exporting.Run(ctx, o.table, exporting.Selection{Account: treeAccount, Slug: t.slug}, &file,
		exporting.Options{})
	if err == nil && len(report.Changed)+len(report.Deleted) > 0 {
		err = fmt.Errorf("changed meanwhile: %+v", report)
	}
	return file.Bytes(), err
}

// check compares a successful export with what was imported.
func (t *importedTree) check(export []byte, v *violations) (good bool) {
	var records []transfer.Record
	lines, err := transfer.Read(bytes.NewReader(export))
	for _, line := range lines {
		records = append(records, line.Record)
		if line.Faults != nil {
			err = errors.Join(err, fmt.Errorf("line %d: %v", line.Number, line.Faults))
		}
	}
	if err != nil {
		v.add("the export of %s cannot be read: %v", t.slug, err)
		return false
	}
	got, want := contents(records), contents(t.records)
	if !slices.Equal(got, want) {
		v.add("the export of %s is\n%q, and imported was\n%q", t.slug, got, want)
		return false
	}
	return true
}

// contents returns the content of records, without ids and times, sorted.
func contents(records []transfer.Record) (lines []string) {
	slugs, emails := map[transfer.ID]string{}, map[transfer.ID]string{}
	for _, r := range records {
		switch r := r.(type) {
		case transfer.Category:
			slugs[r.ID] = r.Slug
		case transfer.User:
			emails[r.ID] = r.Email
		}
	}
	for _, r := range records {
		switch r := r.(type) {
		case transfer.Portal:
			lines = append(lines, fmt.Sprint("portal ", r.Slug, " ", r.Name, " ", r.Locales))
		case transfer.Category:
			line := r.Slug + " " + r.Locale + " " + r.Name + " below " + slugs[r.Parent]
			for _, related := range r.Related {
				line += " beside " + slugs[related]
			}
			lines = append(lines, line)
		case transfer.User:
			lines = append(lines, r.Name+" "+r.Email)
		case transfer.Member:
			lines = append(lines, emails[r.User]+" of "+r.Portal)
		}
	}
	slices.Sort(lines)
	return lines
}
