// Package fetch downloads the files of a mail, and finds the name, type and charset of each. It knows nothing of the
// mail beside them.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"frontdesk/internal/mail/rejection"

	"code.dny.dev/ssrf"
)

const (
	// AtOnce is the number of files of one mail that are fetched side by side.
	AtOnce = 8
	// maxRedirects is the number of redirects that one download follows.
	maxRedirects = 10
	// dialWithin is the time that one connection may take, so that a host that never answers leaves time for others.
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

// newDownloader makes a Downloader that connects where guard allows, nil to any address. The guard sees the address of
// every connection itself, so that neither a name, nor a redirect, nor a second look-up leads to a private one. Proxies
// of the environment are not used: the guard would see theirs.
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
	r.Header.Del("Referer") // the first URL may be a signed one, which the second server must not see
	if err := CheckURL(r.URL.String()); err != nil {
		return fmt.Errorf("redirected to a URL that %w", err)
	}
	return nil
}

// Get downloads one URL, which [CheckURL] has passed. An error is [ErrOverBudget], or it is for the mail's sender and
// reads on from the name of what held the URL.
func (d *Downloader) Get(ctx context.Context, rawURL string, b *Budget) (File, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
	if err != nil {
		return File{}, fmt.Errorf("could not be downloaded: %w", err)
	}
	request.Header.Set("User-Agent", "frontdesk")
	response, err := d.client.Do(request)
	if err != nil {
		return File{}, fmt.Errorf("could not be downloaded: %s", reason(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return File{}, fmt.Errorf("could not be downloaded: the server answered %d %s",
			response.StatusCode, http.StatusText(response.StatusCode))
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return File{}, fmt.Errorf("could not be downloaded: its encoding %q is not known", rejection.Brief(encoding))
	}
	body, err := b.read(response)
	if errors.Is(err, ErrOverBudget) {
		return File{}, ErrOverBudget
	}
	if err != nil {
		return File{}, fmt.Errorf("could not be downloaded: %s", reason(err))
	}
	return File{
		Body:        body,
		url:         rawURL,
		contentType: response.Header.Get("Content-Type"),
		disposition: response.Header.Get("Content-Disposition"),
	}, nil
}

// reason says in words for the mail's sender why a download has failed.
func reason(err error) string {
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
	if u, ok := errors.AsType[*url.Error](err); ok { // it repeats the URL, which the sender has
		err = u.Err
	}
	return rejection.Brief(err.Error())
}
