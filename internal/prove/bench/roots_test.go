package bench

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// trust is what a function's image trusts, in the forms that an image may use, and a service with a
// trusted certificate.
type trust struct {
	bundle  string // a file with all roots
	folder  string // with each root as a file of its own
	one     string // a file with the root of the service alone
	service tls.Certificate
}

// newTrust makes root certificates and a service at 127.0.0.1. The service has a chain of three RSA keys with 2048
// bits, like DynamoDB's. Of each three other roots two have RSA keys with 4096 bits and one a P-384 key, so that the
// bundle is as long as Debian's: 220 kB.
func newTrust(tb testing.TB) trust {
	tb.Helper()
	short, long, curve := newRSA(tb, 2048), newRSA(tb, 4096), newECDSA(tb)
	root := newCertificate(tb, "Root 0", nil, nil, short)
	intermediate := newCertificate(tb, "Intermediate", root, short, short)
	leaf := newCertificate(tb, "127.0.0.1", intermediate, short, short)

	files := tb.TempDir()
	t := trust{
		bundle: filepath.Join(files, "bundle.pem"), one: filepath.Join(files, "one.pem"), folder: tb.TempDir(),
		service: tls.Certificate{Certificate: [][]byte{leaf.Raw, intermediate.Raw}, PrivateKey: short},
	}
	var bundle []byte
	for i := range Roots {
		if i > 0 {
			root = newCertificate(tb, fmt.Sprintf("Root %d", i), nil, nil, []crypto.Signer{long, long, curve}[i%3])
		}
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Raw})
		writeFile(tb, filepath.Join(t.folder, fmt.Sprintf("%d.pem", i)), text)
		if i == 0 {
			writeFile(tb, t.one, text)
		}
		bundle = append(bundle, text...)
	}
	writeFile(tb, t.bundle, bundle)
	return t
}

func newRSA(tb testing.TB, bits int) crypto.Signer {
	tb.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

func newECDSA(tb testing.TB) crypto.Signer {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

// newCertificate makes a certificate that may sign others. Without a parent it is a root, which signs itself.
func newCertificate(
	tb testing.TB, name string, parent *x509.Certificate, parentKey, key crypto.Signer,
) *x509.Certificate {
	tb.Helper()
	c := &x509.Certificate{
		Subject: pkix.Name{
			CommonName: name, Organization: []string{"Example Trust Services"}, Country: []string{"US"},
		},
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if parent == nil {
		parent, parentKey = c, key
	}
	raw, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), parentKey)
	if err != nil {
		tb.Fatal(err)
	}
	made, err := x509.ParseCertificate(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return made
}

func writeFile(tb testing.TB, path string, content []byte) {
	tb.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
}
