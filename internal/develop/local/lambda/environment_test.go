package lambda

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFoldersOfRootsAreReadWithoutABundle shows that a machine whose roots are only in a folder keeps them. The
// template's SSL_CERT_DIR hides the folders from Go, which is right only where there is a bundle.
func TestFoldersOfRootsAreReadWithoutABundle(t *testing.T) {
	bundle := filepath.Join(t.TempDir(), "bundle.pem")
	if err := os.WriteFile(bundle, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bundle string
		set    bool
	}{
		"with a bundle":    {bundle, true},
		"without a bundle": {bundle + ".none", false},
	} {
		t.Run(name, func(t *testing.T) {
			environment := map[string]string{"SSL_CERT_DIR": "/nonexistent"}
			keepRoots(environment, c.bundle)
			if _, set := environment["SSL_CERT_DIR"]; set != c.set {
				t.Errorf("SSL_CERT_DIR is set: %t, want %t", set, c.set)
			}
		})
	}
}
