package fetch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// ErrOverBudget is the error of a download that is larger than the rest of its budget.
var ErrOverBudget = errors.New("is over the budget")

// Budget limits the bytes that all downloads of one mail may take together. They may use it concurrently.
type Budget struct {
	unread      atomic.Int64 // bytes that may still be read
	unallocated atomic.Int64 // bytes that may still be allocated before they are read
}

// NewBudget returns a budget of the given number of bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.unread.Store(bytes)
	b.unallocated.Store(bytes)
	return b
}

// read reads the body of a response into memory, with a single allocation if its length is known. A server may
// announce a false length, so read trusts announced lengths only as long as their sum, over all downloads of the
// mail, is within the budget. After that the memory grows with what arrives.
func (b *Budget) read(response *http.Response) ([]byte, error) {
	length := response.ContentLength
	if length > b.unread.Load() {
		return nil, ErrOverBudget
	}
	body := budgetReader{response.Body, b}
	if length < 0 || b.unallocated.Add(-length) < 0 {
		return io.ReadAll(body)
	}
	buffer := bytes.NewBuffer(make([]byte, 0, length+bytes.MinRead)) // ReadFrom needs MinRead free bytes to see the end
	_, err := buffer.ReadFrom(body)
	return buffer.Bytes(), err
}

// budgetReader charges a download to a budget while it is read, whatever length the server announced.
type budgetReader struct {
	io.Reader
	budget *Budget
}

func (r budgetReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.budget.unread.Add(-int64(n)) < 0 {
		return n, ErrOverBudget
	}
	return n, err
}
