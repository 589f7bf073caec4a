package category

import (
	"sync/atomic"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
)

// answerSize adds up the fewest bytes that a list can take as JSON. Reading stops when the list cannot fit into an
// answer any more. An answerSize is safe for concurrent use. A nil one has no limit: some answers are given however
// large they are.
type answerSize struct {
	most  int
	bytes atomic.Int64
}

// newAnswerSize returns the limit of the answer to a request. It is larger for clients that take gzip.
func newAnswerSize(r *api.Request) *answerSize { return &answerSize{most: r.MaxJSON()} }

// fresh returns an empty sum with the same limit. A page that is read again starts with it.
func (s *answerSize) fresh() *answerSize {
	if s == nil {
		return nil
	}
	return &answerSize{most: s.most}
}

// add adds bytes to the sum. It returns errListTooLarge when the answer is certain to be too large.
func (s *answerSize) add(bytes int) error {
	if s != nil && s.bytes.Add(int64(bytes)) > int64(s.most) {
		return errListTooLarge
	}
	return nil
}

// categories returns how many categories fit into the answer at most: those with empty texts.
func (s *answerSize) categories() int { return s.most / minView }

// The fewest bytes of JSON that readers get for a category without its texts, and for a category that it links to. A
// test encodes both and fails when one is smaller than its constant: then lists that fit would be refused.
const (
	minView    = 230
	minSummary = 56
)

// minSize returns the fewest bytes that a category takes in an answer, without the ids of those that link to it. JSON
// escapes can only make a text longer.
func minSize(r changeset.Record) int {
	size := minView + len(r.Name) + len(r.Slug) + len(r.Locale)
	if r.Description != nil {
		size += len(*r.Description)
	}
	return size
}
