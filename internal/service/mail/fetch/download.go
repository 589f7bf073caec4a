// Package fetch downloads the files of a mail, and finds the name, type and charset of each. It knows nothing else of
// the mail.
package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"frontdesk/internal/base/api"

	"code.dny.dev/ssrf"
)

const (
	// AtOnce is the number of files of one mail that are fetched in parallel.
	AtOnce = 8
	// maxRedirects is the number of redirects that one download follows.
	maxRedirects = 10
	// dialWithin limits the time of one connection, so that a host that never answers leaves time for the other files.
	dialWithin = 5 * time.Second
)

// Downloader fetches the files that mails refer to by URL.
type Downloader struct{ client *http.Client }

// dial connects to a server.
type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// NewDownloader returns a Downloader that connects only to public addresses, or with allowPrivate to any address. It
// connects by through, or if that is nil by the machine's network. A through without allowPrivate is an error, because
// it would not be guarded.
func NewDownloader(through dial, allowPrivate bool) (*Downloader, error) {
	switch {
	case through != nil && !allowPrivate:
		return nil, errors.New("downloads through a given network reach private addresses, so they must be allowed")
	case through != nil:
		return newDownloader(through), nil
	case allowPrivate:
		return newDownloader(guarded(nil)), nil
	}
	return newDownloader(guarded(ssrf.New(ssrf.WithAnyPort()))), nil
}

// guarded connects where guard allows; a nil guard allows every address. The guard checks the address of each
// connection after the name was resolved. So neither a name, nor a redirect, nor a second look-up with another answer
// can reach a private address.
func guarded(guard *ssrf.Guardian) dial {
	dialer := &net.Dialer{Timeout: dialWithin}
	if guard != nil {
		dialer.Control = guard.Safe
	}
	return dialer.DialContext
}

// newDownloader does not use the proxies of the environment, because a guard would see their addresses instead.
func newDownloader(through dial) *Downloader {
	return &Downloader{client: &http.Client{
		Transport: &http.Transport{
			DialContext:         through,
			TLSHandshakeTimeout: dialWithin,
			MaxIdleConnsPerHost: AtOnce,
			IdleConnTimeout:     10 * time.Second,
			ForceAttemptHTTP2:   true,

			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: checkRedirect,
	}}
}

// redirectError says, in words for the mail's sender, why a redirect is not followed.
type redirectError string

func (e redirectError) Error() string { return string(e) }

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return redirectError(fmt.Sprintf("more than %d redirects", maxRedirects))
	}
	r.Header.Del("Referer") // the first URL may be signed: the second server must not see it
	if err := CheckURL(r.URL.String()); err != nil {
		return redirectError("redirected to a URL that " + err.Error())
	}
	return nil
}

// Get downloads one URL, which must have passed [CheckURL]. The error is [ErrOverBudget], or one for the mail's
// sender: its text continues a sentence that begins with the name of what held the URL.
func (d *Downloader) Get(ctx context.Context, rawURL string, b *Budget) (File, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
	if err != nil {
		return File{}, errors.New("is not a valid URL")
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
		return File{}, fmt.Errorf("could not be downloaded: its encoding %q is not known", api.Brief(encoding))
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
		final:       response.Request.URL,
		contentType: response.Header.Get("Content-Type"),
		disposition: strings.Join(response.Header.Values("Content-Disposition"), ";"),
	}, nil
}

// reason says in words for the mail's sender why a download has failed. It never uses the text of the error, which
// may contain the function's own addresses, or the private address of a name. So a name with an address that is not
// public looks like a name that does not exist, and reason gives such an address only if it is in the URL.
func reason(err error) string {
	host := ""
	if u, ok := errors.AsType[*url.Error](err); ok {
		if failed, parseErr := url.Parse(u.URL); parseErr == nil { // the URL of the last redirect
			host = failed.Hostname()
		}
	}
	quoted := strconv.Quote(api.Brief(host))
	redirect, notFollowed := errors.AsType[redirectError](err)
	prohibited := errors.Is(err, ssrf.ErrProhibitedIP)
	dns, lookedUp := errors.AsType[*net.DNSError](err)
	slow, timed := errors.AsType[net.Error](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch number, notNumber := netip.ParseAddr(host); {
	case notFollowed:
		return redirect.Error()
	case prohibited && notNumber == nil:
		return "the address " + number.Unmap().String() + " is not a public one"
	case prohibited, lookedUp && dns.IsNotFound:
		return "the host " + quoted + " was not found"
	case lookedUp:
		return "the host " + quoted + " could not be looked up"
	case timed && slow.Timeout():
		return "it took too long"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection ended before the file did"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case untrusted:
		return "its server has no good certificate"
	}
	return "the connection failed, or its server does not speak HTTP"
}
