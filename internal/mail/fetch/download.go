// Package fetch downloads the files that a mail points to, and finds the name, type and charset of each.
package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"frontdesk/internal/mail/rejection"

	"code.dny.dev/ssrf"
)

const (
	// AtOnce is the number of files of one mail that are fetched side by side.
	AtOnce = 8
	// maxRedirects is the number of redirects that one download follows.
	maxRedirects = 10
	// dialWithin bounds one connection attempt, so that a host that never answers leaves time for others.
	dialWithin = 5 * time.Second
)

// Downloader fetches what mails point to.
type Downloader struct{ client *http.Client }

// NewDownloader makes a Downloader that connects to public addresses alone, or with allowPrivate to any.
func NewDownloader(allowPrivate bool) *Downloader {
	if allowPrivate {
		return newDownloader(nil)
	}
	return newDownloader(ssrf.New(ssrf.WithAnyPort()))
}

// newDownloader makes a Downloader that connects where guard allows. The rule is applied to the very address
// of every connection, so that neither a name, nor a redirect, nor a second look-up leads inside. Proxies of
// the environment are not used: they would connect in our stead.
func newDownloader(guard *ssrf.Guardian) *Downloader {
	dialer := &net.Dialer{Timeout: dialWithin}
	if guard != nil {
		dialer.Control = guard.Safe
	}
	return &Downloader{client: &http.Client{
		Transport: &http.Transport{
			DialContext:         dialer.DialContext,
			TLSHandshakeTimeout: dialWithin,
			MaxIdleConnsPerHost: AtOnce,
			IdleConnTimeout:     10 * time.Second,
			ForceAttemptHTTP2:   true,

			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: checkRedirect,
	}}
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	r.Header.Del("Referer") // the first URL may be a signed one: it is nobody else's
	if err := CheckURL(r.URL.String()); err != nil {
		return fmt.Errorf("redirected to a URL that %w", err)
	}
	return nil
}

// ErrOverBudget is a download that is larger than what its budget has left.
var ErrOverBudget = errors.New("is over the budget")

// Budget is what the downloads of one mail may still take, all together.
type Budget struct {
	left  atomic.Int64 // bytes that may be read
	ahead atomic.Int64 // bytes that may be allocated before they are read
}

func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.left.Store(bytes)
	b.ahead.Store(bytes)
	return b
}

// charged is a download that is charged to a budget as it is read, whatever its server says of its length.
type charged struct {
	io.Reader
	budget *Budget
}

func (c charged) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.budget.left.Add(-int64(n)) < 0 {
		return n, ErrOverBudget
	}
	return n, err
}

// Get downloads one URL, which [CheckURL] has passed. An error is ErrOverBudget, or reads on from the name
// of what held the URL.
func (d *Downloader) Get(ctx context.Context, rawURL string, b *Budget) (File, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
	if err != nil {
		return File{}, fmt.Errorf("could not be downloaded: %w", err)
	}
	request.Header.Set("User-Agent", "frontdesk")
	response, err := d.client.Do(request)
	if err != nil {
		return File{}, fmt.Errorf("could not be downloaded: %s", downloadFault(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return File{}, fmt.Errorf("could not be downloaded: the server answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return File{}, fmt.Errorf("could not be downloaded: its encoding %q is not known", rejection.Brief(encoding))
	}
	body, err := read(response, b)
	if errors.Is(err, ErrOverBudget) {
		return File{}, ErrOverBudget
	}
	if err != nil {
		return File{}, fmt.Errorf("could not be downloaded: %s", downloadFault(err))
	}
	return File{
		Body:        body,
		url:         rawURL,
		contentType: response.Header.Get("Content-Type"),
		disposition: response.Header.Get("Content-Disposition"),
	}, nil
}

// read takes the body into memory, where its length is known into one allocation. A server may lie about that,
// so the lengths that are believed, of all downloads of a mail, are no more than it may have.
func read(response *http.Response, b *Budget) ([]byte, error) {
	length := response.ContentLength
	if length > b.left.Load() {
		return nil, ErrOverBudget
	}
	source := charged{response.Body, b}
	if length < 0 || b.ahead.Add(-length) < 0 {
		return io.ReadAll(source)
	}
	body := bytes.NewBuffer(make([]byte, 0, length+bytes.MinRead)) // MinRead is what it wants to see the end
	_, err := body.ReadFrom(source)
	return body.Bytes(), err
}

// downloadFault is the reason of a failed download in words for the mail's sender.
func downloadFault(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && errors.Is(err, ssrf.ErrProhibitedIP) {
		host, _, splitErr := net.SplitHostPort(op.Addr.String())
		if splitErr == nil {
			return "the address " + host + " is not a public one"
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection ended before the file did"
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return "the host " + strconv.Quote(rejection.Brief(dns.Name)) + " was not found"
		}
		return "the host " + strconv.Quote(rejection.Brief(dns.Name)) + " could not be looked up"
	}
	if u, ok := errors.AsType[*url.Error](err); ok { // repeats the URL, which the sender has
		err = u.Err
	}
	return rejection.Brief(err.Error())
}
