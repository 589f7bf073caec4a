package fetch

import (
	"fmt"
	"net/url"
	"strconv"
)

// CheckURL checks every URL before it is fetched, including those of redirects. The error's text continues a sentence
// that begins with the name of what holds the URL.
func CheckURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return fmt.Errorf("is not a valid URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("must be an http or https URL")
	case u.Hostname() == "":
		return fmt.Errorf("must name a host")
	case !validPort(u.Port()):
		return fmt.Errorf("must have a port from 1 to 65535, or none")
	case u.User != nil:
		return fmt.Errorf("must not hold a user name or password")
	}
	return nil
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}
