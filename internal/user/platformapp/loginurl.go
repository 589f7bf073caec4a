package platformapp

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// loopback are the hosts that are reached without a network, which would see a link that http carries.
var loopback = []string{"127.0.0.1", "::1", "localhost"}

// checkLoginURL refuses an address at which a network would see login links, or to which no query can be added. What
// [url.URL.String] writes otherwise has a character that is to be escaped, or a host that is to be in punycode.
func checkLoginURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err == nil && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(address, "?#") &&
		strings.EqualFold(u.String(), address) &&
		(u.Scheme == "https" || u.Scheme == "http" && slices.Contains(loopback, u.Hostname())) {
		return nil
	}
	return fmt.Errorf("login address must be an https URL, or an http one of 127.0.0.1, [::1] or localhost, "+
		"in ASCII, without user info, query and fragment, not %q", address)
}
