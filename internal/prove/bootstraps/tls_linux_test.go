package bootstraps

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/mail/redirect"
)

// TestDownloadsByTLS: a server's certificate must chain to a root of the bundle, which a process reads once. The test
// runs on Linux alone, because Go on other systems asks the system's verifier, which does not read SSL_CERT_FILE.
func TestDownloadsByTLS(t *testing.T) {
	t.Parallel()
	const content = "Hello by TLS"
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.WriteString(w, content)
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
	withRoot := func(o *local.Options) { o.Environment["SSL_CERT_FILE"] = bundle }
	trusting := newMailer(t, start(t, privateDownloads, withRoot), redirect.Rule{})
	a := trusting.post(t, trusting.mail(object{"attachments": attachment(server.URL)}))
	a.Is(t, http.StatusOK, object{"status": "success"})
	raw, _ := trusting.Outbox().Raw(fmt.Sprint(a.Body["id"]))
	expect.Contains(t, string(raw), base64.StdEncoding.EncodeToString([]byte(content)))

	m := newMailer(t, start(t, privateDownloads), redirect.Rule{})
	a = m.post(t, m.mail(object{"attachments": attachment(server.URL)}))
	a.Is(t, http.StatusOK, object{"status": "error"})
	expect.Contains(t, fmt.Sprint(a.Body["error"]), "its server has no good certificate")
}
