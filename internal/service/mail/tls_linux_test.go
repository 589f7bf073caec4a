package mail_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
)

// TestDownloadsByTLS: a server's certificate must chain to a root of the bundle. The test runs on Linux alone, because
// Go on other systems asks the system's verifier, which does not read SSL_CERT_FILE.
func TestDownloadsByTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "Hello")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it would have the client that does not trust it
	server.StartTLS()
	t.Cleanup(server.Close)
	bundle := filepath.Join(t.TempDir(), "bundle.pem")
	// httptest's certificate is its own root.
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(bundle, root, 0o600); err != nil {
		t.Fatal(err)
	}
	const why = "a process reads the bundle once"
	trusting := startBootstraps(t, why, func(o *local.Options) { o.Environment["SSL_CERT_FILE"] = bundle })
	got, _ := trusting.mustSend(t, trusting.mail(object{"attachments": attachment(server.URL+"/hello.txt", nil)}))
	if len(got.leaves) != 2 || got.leaves[1].body != "Hello" {
		t.Errorf("from a server whose root is in the bundle: %+v, want its file", got.leaves)
	}
	s := startBootstraps(t, why)
	r := s.send(t, s.mail(object{"attachments": attachment(server.URL+"/hello.txt", nil)}))
	if want := "its server has no good certificate"; r.Outcome != "error" || !strings.Contains(r.Error, want) {
		t.Errorf("from a server whose root is not in it: answer %+v, want %q", r, want)
	}
}
