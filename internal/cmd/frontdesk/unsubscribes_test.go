package main

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/mail/mailkey"
)

// TestOperatorsKeepUnsubscribes, and move them from one key to another by an export and an import.
func TestOperatorsKeepUnsubscribes(t *testing.T) {
	o := onStack(t)
	old, _ := o.NewMailKey(t, mailkey.Key{Name: "old", From: []string{"example.com"}})
	next, _ := o.NewMailKey(t, mailkey.Key{Name: "new", From: []string{"example.com"}})
	from, to := old.ID.String(), next.ID.String()

	expect.Equal(t, "add", o.prints("unsubscribes", "add", from, "Ada@Example.org", "--list", "news"),
		"Ada@Example.org gets no more of these mails\n")
	expect.Equal(t, "add again", o.prints("unsubscribes", "add", from, "ada@example.org", "--list", "news"),
		"ada@example.org is as it was\n")
	o.prints("unsubscribes", "add", from, "ben@bücher.example")
	shown := o.prints("unsubscribes", "list", from)
	expect.Contains(t, "list", shown, "ben@xn--bcher-kva.example  -     operator")
	expect.Contains(t, "list", shown, "ada@example.org            news  operator")
	expect.Lacks(t, "those of one list", o.prints("unsubscribes", "list", from, "--list", "news"), "ben@")
	expect.Lacks(t, "those since then", o.prints("unsubscribes", "list", from, "--since", "2100-01-01"), "@")

	exported := o.prints("unsubscribes", "export", from)
	expect.HasPrefix(t, "export", exported, "email,list,by,at\nben@xn--bcher-kva.example,,operator,20")
	o.In = strings.NewReader(exported)
	expect.Equal(t, "import", o.prints("unsubscribes", "import", to), "added 2 of 2; the others were there already\n")
	// A spreadsheet's file: a byte order mark at the beginning, and a space before an address.
	o.In = strings.NewReader("\ufeffeve@example.org\n Ada@example.org\n")
	expect.Equal(t, "import of addresses", o.prints("unsubscribes", "import", to, "--list", "news"),
		"added 1 of 2; the others were there already\n")
	expect.Equal(t, "what the new key has", strings.Count(o.prints("unsubscribes", "list", to), "@"), 3)

	expect.Equal(t, "remove", o.prints("unsubscribes", "remove", "--yes", to, "EVE@example.org", "--list", "news"),
		"EVE@example.org gets these mails again\n")
	again := o.prints("unsubscribes", "remove", "--yes", to, "eve@example.org", "--list", "news")
	expect.Equal(t, "remove again", again, "eve@example.org is as it was\n")
	o.MustBeWhole(t)

	mustRefuse(o, map[string]refused{
		"no such key":        {[]string{"unsubscribes", "add", "1", "a@example.org"}, "there is no mail key 1"},
		"no id":              {[]string{"unsubscribes", "list", "x"}, `"x" is not an id; frontdesk mail-key list`},
		"no address":         {[]string{"unsubscribes", "add", from, "ada"}, `the address "ada" is not a valid e-mail`},
		"no name of a list":  {[]string{"unsubscribes", "list", from, "--list", "a b"}, "--list must be"},
		"no time":            {[]string{"unsubscribes", "list", from, "--since", "today"}, "--since must be a time"},
		"removal of nobody":  {[]string{"unsubscribes", "remove", "--yes", "1", "a@example.org"}, "is no mail key 1"},
		"export of no key":   {[]string{"unsubscribes", "export", "1"}, "there is no mail key 1"},
		"import into no key": {[]string{"unsubscribes", "import", "1"}, "there is no mail key 1"},
	})
	t.Run("an export of one list is no import into another", func(t *testing.T) {
		o.In = strings.NewReader("email,list,by,at\nzoe@example.org,,operator,2026-01-01T00:00:00Z\n")
		_, err := o.frontdesk("unsubscribes", "import", to, "--list", "news")
		if err == nil {
			t.Fatal("it was imported")
		}
		const want = `line 2: the line is of the list "": --list news is for addresses alone`
		expect.Contains(t, "error", err.Error(), want)
		expect.Lacks(t, "list", o.prints("unsubscribes", "list", to), "zoe@")
	})
	t.Run("a line that is no address adds nobody", func(t *testing.T) {
		o.In = strings.NewReader("zoe@example.org\nada\n")
		_, err := o.frontdesk("unsubscribes", "import", to)
		if err == nil {
			t.Fatal("it was imported")
		}
		expect.Contains(t, "error", err.Error(), `line 2: the address "ada" is not a valid e-mail address`)
		expect.Lacks(t, "list", o.prints("unsubscribes", "list", to), "zoe@")
	})
}
