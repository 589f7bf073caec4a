package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/table"
)

// TestTrial is a short one: nothing that its clients were told of is lost. Then the test takes some of it away, and
// the verdict says so.
func TestTrial(t *testing.T) {
	t.Parallel()
	// A shorter Timeout of send-mail: a key that a killed request has taken is free again sooner.
	template := localtest.EditTemplate(t, "Timeout: 29", "Timeout: 8")
	stack := localtest.Start(t, func(o *local.Options) {
		o.Template, o.Data = template, t.TempDir()
		o.Environment = map[string]string{"ALLOW_PRIVATE_DOWNLOADS": "true"}
	})
	short := []phase{{"calm", 0.2, nil}, {"all at once", 0.8, everything}}
	tr, err := prepare(t.Context(), plan{seed: 1, duration: 3 * time.Second, clients: 2 * tenantClients, phases: short}, stack)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.files.close()
	tr.load(t.Context())
	tr.settle(t.Context())
	v := judge(t.Context(), stack, tr.clients, tr.broken)
	tr.broken.want(t, "")
	if v.mails == 0 || v.categories == 0 || v.people == 0 || v.items == 0 || len(tr.faults.all()) == 0 {
		t.Errorf("nothing was proved: %+v, %d faults", v, len(tr.faults.all()))
	}
	var report strings.Builder
	printReport(&report, tr, v)
	if !strings.Contains(report.String(), "send-mail") {
		t.Errorf("the report is %s", &report)
	}
	checkPlot(t, tr)

	broken := new(violations)
	tr.clients[0].broken = broken
	taken := tamper(t, tr)
	judge(t.Context(), stack, tr.clients, broken)
	all := strings.Join(broken.list, "\n")
	for _, said := range taken {
		if !strings.Contains(all, said) {
			t.Errorf("it is not said that %q:\n%s", said, all)
		}
	}
}

// tamper takes away what clients were told of, and gives what to find then.
func tamper(t *testing.T, tr *trial) (want []string) {
	t.Helper()
	db := openTable(tr.stack)
	remove := func(k table.Key) {
		if err := db.Delete("PK", k.PK).Range("SK", k.SK).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range tr.clients {
		captured := slices.IndexFunc(c.letters, func(l *letter) bool {
			return l.outcome == outcome{told: true, reached: len(l.recipients)}
		})
		if captured < 0 || len(c.people) == 0 {
			continue
		}
		user, letter := c.people[0], c.letters[captured]
		remove(table.User(id.ID(user.id)))
		again := letter.request
		again.key = ""
		if a := c.do(t.Context(), again); !a.ok() {
			t.Fatalf("send a mail again: %s", a)
		}
		return []string{
			user.email + ", was created, but is not there", "check: ", "2 times to " + letter.recipients[0],
		}
	}
	t.Fatal("no client has a user, and a mail that was captured")
	return nil
}

// checkPlot looks whether the plot is XML, and has letters and lines.
func checkPlot(t *testing.T, tr *trial) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plot.svg")
	if err := writePlot(path, tr); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	elements := map[string]int{}
	for decoder := xml.NewDecoder(file); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the plot is no XML: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
	if elements["polyline"] != 3 || elements["text"] < 20 || elements["rect"] < 20 {
		t.Errorf("the plot has %v", elements)
	}
}
