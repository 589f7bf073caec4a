package attempts

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
)

// Network returns the network whose sign-ins count together with those of an address: the /24 of an IPv4 address, and
// the /64 of an IPv6 one, within which a host can take any address that it likes (RFC 8981). An IPv4 address in IPv6's
// form counts as IPv4. Text that is no address gives the zero Prefix, which counts as one more network.
func Network(address string) netip.Prefix {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	bits := 64
	ip = ip.Unmap()
	if ip.Is4() {
		bits = 24
	}
	return netip.PrefixFrom(ip.WithZone(""), bits).Masked()
}

// attribute names the set of the attempts from a network in the record of an e-mail address. The name is 16 bits of a
// hash of both. That is enough to tell the networks of one record apart. Each name stands for 256 IPv4 networks, so
// nobody who reads the table learns where a user signs in from.
func attribute(address string, network netip.Prefix) string {
	digest := sha256.Sum256([]byte(address + " " + network.String()))
	return fmt.Sprintf("from%x", digest[:2])
}
