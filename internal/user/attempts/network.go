package attempts

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
)

// Network is the network whose sign-ins are counted together with those of a client's address: its /24 in IPv4, and in
// IPv6 its /64, within which a host takes any address that it likes (RFC 8981). An IPv4 address in IPv6's form is an
// IPv4 address. What is no address is of the zero Prefix, one network more.
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

// attribute names the set of the attempts from a network in the record of an e-mail address. It is 16 bits of a hash of
// both. That tells the networks of one record apart well enough, and each is the name of 256 IPv4 networks: nobody who
// reads the table learns from where a user signs in.
func attribute(address string, network netip.Prefix) string {
	digest := sha256.Sum256([]byte(address + " " + network.String()))
	return fmt.Sprintf("from%x", digest[:2])
}
