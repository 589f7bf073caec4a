// Package fetch downloads the files of a mail, and finds the name, type and charset of each. It knows nothing of the
// mail beside them.
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

	"frontdesk/internal/api"

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

// redirectError is why a redirect is not followed, in words for the mail's sender.
type redirectError string

func (e redirectError) Error() string { return string(e) }

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return redirectError(fmt.Sprintf("more than %d redirects", maxRedirects))
	}
	r.Header.Del("Referer") // the first URL may be a signed one, which the second server must not see
	if err := CheckURL(r.URL.String()); err != nil {
		return redirectError("redirected to a URL that " + err.Error())
	}
	return nil
}

// Get downloads one URL, which [CheckURL] has passed. An error is [ErrOverBudget], or it is for the mail's sender and
// reads on from the name of what held the URL.
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
		contentType: response.Header.Get("Content-Type"),
		disposition: strings.Join(response.Header.Values("Content-Disposition"), ";"),
	}, nil
}

// reason says in words for the mail's sender why a download has failed. The words are ours, whatever the error's are:
// those may hold addresses of the function's, or what a name means inside. So a name that leads to an address which is
// not public reads as one that does not exist, and such an address is named only if it is in the URL.
func reason(err error) string {
	host := ""
	if u, ok := errors.AsType[*url.Error](err); ok {
		if failed, parseErr := url.Parse(u.URL); parseErr == nil { // of the last redirect
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
