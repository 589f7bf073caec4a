package plaintext

import "testing"

// TestTheJudgeSeesEachFault shows the judge a page with a text that misleads, and then with the one that is made now.
func TestTheJudgeSeesEachFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, misleading, fault string }{
		"a button that Outlook alone hides": {
			"<p>Sale</p><span style='mso-hide:all'><a href=https://x.example/>Buy</a></span>", "Sale", "words lost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := readPage(c.page)
			if faults[c.fault](p, c.misleading) == "" {
				t.Errorf("the judge sees no %q in %q", c.fault, c.misleading)
			}
			text, err := FromHTML(c.page)
			if err != nil {
				t.Fatal(err)
			}
			for fault, found := range faults {
				if what := found(p, text); what != "" {
					t.Errorf("%s in %q: %q", fault, text, what)
				}
			}
		})
	}
}
