package bench

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
)

// zipSize is the length in bytes of the zip file that Lambda is given: the bootstrap, deflated.
func (p program) zipSize() (int64, error) {
	bootstrap, err := os.Open(p.bootstrap())
	if err != nil {
		return 0, fmt.Errorf("zip %s: %w", p.name, err)
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
		return 0, fmt.Errorf("zip %s: %w", p.name, err)
	}
	return int64(size), nil
}

// counter is the number of bytes that were written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
