package platformapp

// This file is for operators: no endpoint calls it.

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// loopback are hosts that are reached without a network. Over a network, http would show the link to others.
var loopback = []string{"127.0.0.1", "::1", "localhost"}

// checkLoginURL refuses an address where a network could see login links, or that no query can follow. Where
// [url.URL.String] writes something else than the address, a character must be escaped or a host must be in punycode.
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
