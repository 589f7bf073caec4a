package deployment_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// countRoots is the variable that makes the test binary print how many roots Go finds, and nothing else.
const countRoots = "DEPLOY_TEST_COUNT_ROOTS"

// TestRootsAreThoseOfTheBundle: with the template's SSL_CERT_DIR, this version of Go finds the roots of a bundle, and
// reads no folder. A newer version may find none (https://go.dev/issue/79496).
func TestRootsAreThoseOfTheBundle(t *testing.T) {
	if os.Getenv(countRoots) != "" {
		roots, err := x509.SystemCertPool()
		if err != nil {
			t.Fatal(err)
		}
		//lint:ignore SA1019 On Linux the pool has its roots from files, and tells all of them.
		fmt.Println("roots", len(roots.Subjects()))
		return
	}
	t.Parallel()
	loaded, err := withParameters(t, map[string]string{"Purpose": "production"})
	if err != nil {
		t.Fatal(err)
	}
	var folder string
	for _, f := range loaded.Functions {
		if folder = f.Environment["SSL_CERT_DIR"]; folder == "" {
			t.Errorf("%s has no SSL_CERT_DIR", f.LogicalID)
		}
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder %s: %v, want that there is none", folder, err)
	}
	bundle := filepath.Join(t.TempDir(), "bundle.pem")
	writeRoots(t, bundle, 1, 2, 3)
	other := t.TempDir()
	writeRoots(t, filepath.Join(other, "root.pem"), 4)

	if n := rootsFound(t, "SSL_CERT_FILE="+bundle, "SSL_CERT_DIR="+folder); n != 3 {
		t.Errorf("%d roots are found, want the 3 of the bundle", n)
	}
	if n := rootsFound(t, "SSL_CERT_FILE="+bundle, "SSL_CERT_DIR="+other); n != 4 {
		t.Errorf("%d roots are found with a folder of another one, want 4: this test would not see a folder", n)
	}
	if own, all := rootsFound(t, "SSL_CERT_DIR="+folder), rootsFound(t); own == 0 || own > all {
		t.Errorf("%d of this machine's %d roots are found, want those of its bundle", own, all)
	}
}

// rootsFound returns how many roots Go finds in an environment.
func rootsFound(t *testing.T, environment ...string) (n int) {
	t.Helper()
	count := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	count.Env = append(environment, countRoots+"=1")
	output, err := count.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if _, err := fmt.Sscanf(string(output), "roots %d", &n); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return n
}

// writeRoots writes a file with a root certificate for each number.
func writeRoots(t *testing.T, path string, numbers ...int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, number := range numbers {
		root := &x509.Certificate{
			SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour),
			IsCA: true, BasicConstraintsValid: true,
		}
		der, err := x509.CreateCertificate(rand.Reader, root, root, key.Public(), key)
		if err == nil {
			err = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: der})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
