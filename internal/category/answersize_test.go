package category

import (
	"testing"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
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
	if got := size(publicView{view: newView(1, changeset.Category{ID: 1}, incoming{}, nil)}); got < minView {
		t.Errorf("a category takes %d bytes", got)
	}
	if got := size(summary{ID: 1}); got < minSummary {
		t.Errorf("a linked category takes %d bytes", got)
	}
}
