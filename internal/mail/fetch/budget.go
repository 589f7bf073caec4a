package fetch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// ErrOverBudget is the error of a download that is larger than what its budget has left.
var ErrOverBudget = errors.New("is over the budget")

// Budget is what the downloads of one mail may still take, all together. Any number of them may use it at once.
type Budget struct {
	unread      atomic.Int64 // bytes that may still be read
	unallocated atomic.Int64 // bytes that may still be allocated before they are read
}

// NewBudget makes a budget of that many bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.unread.Store(bytes)
	b.unallocated.Store(bytes)
	return b
}

// read takes a body into memory, where its length is known into one allocation. A server may lie about that, so the
// lengths that are believed, of all downloads of a mail, are no more than the budget.
func (b *Budget) read(response *http.Response) ([]byte, error) {
	length := response.ContentLength
	if length > b.unread.Load() {
		return nil, ErrOverBudget
	}
	body := budgetReader{response.Body, b}
	if length < 0 || b.unallocated.Add(-length) < 0 {
		return io.ReadAll(body)
	}
	buffer := bytes.NewBuffer(make([]byte, 0, length+bytes.MinRead)) // it wants MinRead to see the end
	_, err := buffer.ReadFrom(body)
	return buffer.Bytes(), err
}

// budgetReader is a download that is charged to a budget as it is read, whatever its server says of its length.
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
