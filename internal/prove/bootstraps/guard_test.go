package bootstraps

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/mail/redirect"
)

// TestDownloadsNeverReachInside: as deployed, no URL reaches a private address, so that a mail cannot read what is
// inside the network (server-side request forgery). The error names the address but not the port, which would make the
// service a port scanner. Nothing arrives at the file server. The guard is of the network of a machine.
func TestDownloadsNeverReachInside(t *testing.T) {
	t.Parallel()
	m := newMailer(t, start(t), redirect.Rule{})
	var arrived atomic.Int64
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived.Add(1)
		_, _ = io.WriteString(w, "what is inside")
	}))
	t.Cleanup(files.Close)
	_, port, err := net.SplitHostPort(files.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ host, want string }{
		"loopback":          {"127.0.0.1", "the address 127.0.0.1 is not a public one"},
		"loopback, another": {"127.8.8.8", "the address 127.8.8.8 is not a public one"},
		// RFC 1918 has the three private networks.
		"a private network":      {"10.0.0.1", "the address 10.0.0.1 is not a public one"},
		"a private network, 172": {"172.16.0.1", "the address 172.16.0.1 is not a public one"},
		"a private network, 192": {"192.168.1.1", "the address 192.168.1.1 is not a public one"},
		// On EC2 it hands out the role's credentials. Its IPv6 address is below: fd00:ec2::254.
		"the metadata service": {"169.254.169.254", "the address 169.254.169.254 is not a public one"},
		// Linux connects 0.0.0.0 to the machine itself.
		"this network":     {"0.0.0.0", "the address 0.0.0.0 is not a public one"},
		"loopback in IPv6": {"[::1]", "the address ::1 is not a public one"},
		// An IPv4 address in the notation of IPv6 (RFC 4291 section 2.5.5.2) reaches the same host.
		"loopback mapped to IPv6": {"[::ffff:127.0.0.1]", "the address 127.0.0.1 is not a public one"},
		"a unique local address":  {"[fd00:ec2::254]", "the address fd00:ec2::254 is not a public one"},
		"a link-local address":    {"[fe80::1]", "the address fe80::1 is not a public one"},
		// RFC 6052: a gateway translates the last four bytes into an IPv4 address.
		"NAT64 of loopback":        {"[64:ff9b::7f00:1]", "the address 64:ff9b::7f00:1 is not a public one"},
		"a name that leads inside": {"localhost", `the host "localhost" was not found`},
		// Resolvers of the C library read this as 127.0.0.1; Go's asks for a host of that name.
		"loopback in hexadecimal": {"0x7f000001", `the host "0x7f000001" was not found`},
		"loopback as one number":  {"2130706433", `the host "2130706433" was not found`},
		"loopback abbreviated":    {"127.1", `the host "127.1" was not found`},
	} {
		for _, suffix := range []string{"", ":80", ":443", ":" + port, ":22"} {
			t.Run(name+" "+suffix, func(t *testing.T) {
				a := m.post(t, m.mail(object{"attachments": attachment("http://" + c.host + suffix + "/hello.txt")}))
				a.Is(t, http.StatusOK, object{"status": "error"})
				said := fmt.Sprint(a.Body["error"])
				expect.HasPrefix(t, said, "attachments[0].url could not be downloaded: ")
				expect.HasSuffix(t, said, c.want)
				expect.Equal(t, strings.Contains(said, "port"), false, said)
			})
		}
	}
	const refused = "could not be downloaded: the address 127.0.0.1 is not a public one"
	t.Run("by htmlurl", func(t *testing.T) {
		a := m.post(t, m.mail(object{"text": nil, "htmlurl": files.URL}))
		a.Is(t, http.StatusOK, object{"status": "error", "error": "htmlurl " + refused})
	})
	t.Run("with ignoredlfails, the mail goes without", func(t *testing.T) {
		a := m.post(t, m.mail(object{"config": array{"ignoredlfails"}, "attachments": attachment(files.URL)}))
		a.Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, fmt.Sprint(a.Body["warning"]), "[attachments[0] is left out: its url "+refused+"]")
	})
	expect.Equal(t, arrived.Load(), 0, "requests that arrived")
}
