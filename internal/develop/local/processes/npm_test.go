package processes_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"frontdesk/internal/develop/local/processes"
)

// manifest contains a script that would leave a file behind.
const manifest = `{"name":"x","version":"1.0.0","scripts":{"install":"touch ran"}}`

// archive returns the package as a registry serves it, and its integrity.
func archive(t *testing.T) (file []byte, integrity string) {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	w := tar.NewWriter(compressed)
	err := w.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(manifest))})
	if err == nil {
		_, err = w.Write([]byte(manifest))
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = compressed.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(b.Bytes())
	return b.Bytes(), "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// TestNPM installs a package from a registry that tells the true hash of its file. A wrong hash leaves nothing behind.
// What is installed is not fetched again.
func TestNPM(t *testing.T) {
	file, integrity := archive(t)
	another := "sha512-" + base64.StdEncoding.EncodeToString(make([]byte, sha512.Size))
	for name, c := range map[string]struct{ integrity, refused string }{
		"the hash that is locked": {integrity, ""},
		"another hash":            {another, "EINTEGRITY"},
	} {
		t.Run(name, func(t *testing.T) {
			fetched := 0
			registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/x.tgz" {
					fetched++
					w.Write(file)
					return
				}
				fmt.Fprintf(w, `{"name":"x","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"x",`+
					`"version":"1.0.0","hasInstallScript":true,"dist":{"tarball":"http://%s/x.tgz","integrity":%q}}}}`,
					r.Host, integrity)
			}))
			defer registry.Close()
			// npm reads its settings from variables with this prefix.
			t.Setenv("npm_config_registry", registry.URL)
			t.Setenv("npm_config_cache", t.TempDir())
			const root = `{"dependencies":{"x":"1.0.0"}}`
			lock := `{"lockfileVersion":3,"packages":{"":` + root + `,` +
				`"node_modules/x":{"version":"1.0.0","integrity":"` + c.integrity + `"}}}`
			locked := fstest.MapFS{"package.json": {Data: []byte(root)}, "package-lock.json": {Data: []byte(lock)}}
			folder := filepath.Join(t.TempDir(), "some", "x")
			modules, err := processes.InstallModules(t.Context(), folder, locked)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("the error is %v, and not %s", err, c.refused)
				}
				if left, err := os.ReadDir(folder); err == nil {
					t.Errorf("there is %v", left)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(filepath.Join(modules, "x", "package.json")); string(text) != manifest {
				t.Errorf("package.json is %q, %v", text, err)
			}
			if _, err := os.Stat(filepath.Join(modules, "x", "ran")); err == nil {
				t.Error("the package's script was run")
			}
			again, err := processes.InstallModules(t.Context(), folder, locked)
			if err != nil || again != modules || fetched != 1 {
				t.Errorf("once more: %s, %v, fetched %d times", again, err, fetched)
			}
		})
	}
}
