package bench

import (
	"archive/zip"
	"io"
	"os"
	"testing"
)

// TestZipsAreSmall checks the zip file of send-mail, and the largest zip file of the other functions.
func TestZipsAreSmall(t *testing.T) {
	var hello, mail, largest program
	var most int64
	for _, p := range programs(t) {
		info, err := os.Stat(p.file)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case p.name == helloWorld:
			hello = p
		case p.name == "send-mail":
			mail = p
		case p.name != getItem && info.Size() > most:
			largest, most = p, info.Size()
		}
	}
	baseline := hello.zipSize(t)
	for p, limit := range map[*program]float64{&mail: MaxZipMail, &largest: MaxZip} {
		if multiple := p.zipSize(t) / baseline; multiple > limit {
			t.Errorf("the zip file of %s is %.2f times that of %s; at most %.1f is wanted",
				p.name, multiple, hello.name, limit)
		}
	}
}

// zipSize returns the length in bytes of the zip file that Lambda gets: the bootstrap, deflated.
func (p program) zipSize(tb testing.TB) float64 {
	tb.Helper()
	bootstrap, err := os.Open(p.file)
	if err != nil {
		tb.Fatal(err)
	}
	defer bootstrap.Close()
	var size counter
	w := zip.NewWriter(&size)
	part, err := w.Create("bootstrap")
	if err == nil {
		_, err = io.Copy(part, bootstrap)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		tb.Fatalf("zip %s: %v", p.name, err)
	}
	return float64(size)
}

// counter is the number of bytes that were written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
