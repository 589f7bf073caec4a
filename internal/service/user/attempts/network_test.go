package attempts

import (
	"net/netip"
	"testing"

	"frontdesk/internal/prove/expect"
)

// FuzzNetwork shows that a network has the counted size, contains the address, and is the network of its own addresses.
func FuzzNetwork(f *testing.F) {
	for _, seed := range []string{
		"198.51.100.7", "::ffff:198.51.100.7", "2001:db8::7", "fe80::1%eth0", "::", "0.0.0.0", "198.51.100.07", "x", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		network := Network(address)
		ip, err := netip.ParseAddr(address)
		if err != nil {
			if network != (netip.Prefix{}) {
				t.Errorf("%q is of %s", address, network)
			}
			return
		}
		ip = ip.Unmap().WithZone("")
		bits := map[bool]int{true: 24, false: 64}[ip.Is4()]
		expect.Equal(t, network.Bits(), bits)
		expect.Equal(t, network.Contains(ip), true)
		expect.Equal(t, Network(network.Addr().String()), network)
		if mapped := netip.AddrFrom16(ip.As16()); Network(mapped.String()) != network {
			t.Errorf("%q is of %s, but %s is not", address, network, mapped)
		}
	})
}
