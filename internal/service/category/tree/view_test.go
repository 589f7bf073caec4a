package tree

import (
	"testing"

	"frontdesk/internal/base/api"
)

// TestAnswersAreNotSmallerThanTheyAreTaken shows that the smallest category is no smaller than the constants say.
// Otherwise a list that fits would be refused.
func TestAnswersAreNotSmallerThanTheyAreTaken(t *testing.T) {
	size := func(v any) int {
		text, err := api.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	var none Tree
	view := none.View(Portal{Account: 1, Spell: func(locale string) string { return locale }}, Category{ID: 1})
	// Readers get neither the account nor the time of creation.
	hidden := len(`"account_id":1,`) + len(`"created_at":"0001-01-01T00:00:00Z",`)
	if got := size(view) - hidden; got < minView {
		t.Errorf("a category takes %d bytes", got)
	}
	if got := size(Summary{ID: 1}); got < minSummary {
		t.Errorf("a linked category takes %d bytes", got)
	}
}
