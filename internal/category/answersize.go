package category

import (
	"sync/atomic"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
)

// answerSize adds up what a list has at least, in bytes, so that reading ends when it cannot fit into an answer. It is
// safe for concurrent use. Nil is for an answer that is given however large it is.
type answerSize struct{ bytes atomic.Int64 }

// add is an error of the client where the answer is certain to be too large.
func (s *answerSize) add(bytes int) error {
	if s != nil && s.bytes.Add(int64(bytes)) > api.MaxAnswer {
		return errListTooLarge
	}
	return nil
}

// What an answer has at least in bytes for a category without its texts, and for one that it links to.
const (
	minView    = 300
	minSummary = 60
)

// maxList is how many categories fit into an answer at most.
const maxList = api.MaxAnswer / minView

// minSize is what a category has at least in an answer, without those that link to it.
func minSize(r changeset.Record) int {
	size := minView + len(r.Name) + len(r.Slug) + len(r.Locale)
	if r.Description != nil {
		size += len(*r.Description)
	}
	return size
}
