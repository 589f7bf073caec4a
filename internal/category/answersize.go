package category

import (
	"sync/atomic"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
)

// answerSize adds up what a list has at least, in bytes, so that reading ends when it cannot fit into an answer. It is
// safe for concurrent use. Nil is for an answer that is given however large it is.
type answerSize struct {
	most  int
	bytes atomic.Int64
}

// newAnswerSize is for the answer to a request.
func newAnswerSize(r *api.Request) *answerSize { return &answerSize{most: r.MaxJSON()} }

// fresh is for the same answer, of which nothing was added.
func (s *answerSize) fresh() *answerSize {
	if s == nil {
		return nil
	}
	return &answerSize{most: s.most}
}

// add is an error of the client where the answer is certain to be too large.
func (s *answerSize) add(bytes int) error {
	if s != nil && s.bytes.Add(int64(bytes)) > int64(s.most) {
		return errListTooLarge
	}
	return nil
}

// categories is how many fit into the answer at most.
func (s *answerSize) categories() int { return s.most / minView }

// What the JSON of an answer has at least in bytes for a category without its texts, as readers see it, and for one
// that it links to.
const (
	minView    = 230
	minSummary = 56
)

// minSize is what a category has at least in an answer, without those that link to it.
func minSize(r changeset.Record) int {
	size := minView + len(r.Name) + len(r.Slug) + len(r.Locale)
	if r.Description != nil {
		size += len(*r.Description)
	}
	return size
}
