package transfer

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"frontdesk/internal/base/id"
)

// Writer writes a file, with one call of the io.Writer for each line. Only one goroutine may use it at a time.
type Writer struct {
	w       io.Writer
	records int
}

// NewWriter begins a file. at is the moment from which it shows the table.
func NewWriter(w io.Writer, at time.Time) (*Writer, error) {
	began := struct {
		Version int       `json:"frontdesk_transfer"`
		At      time.Time `json:"at"`
	}{Version, at}
	line, err := encode(began)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(line)
	return &Writer{w: w}, err
}

// Encode returns the line of a record, with its line feed.
func Encode(r Record) ([]byte, error) {
	fields, err := encode(r)
	if err != nil {
		return nil, err
	}
	// Every record has fields.
	return append([]byte(`{"kind":"`+string(r.Kind())+`",`), fields[1:]...), nil
}

// Write writes the line of a record.
func (w *Writer) Write(r Record) error {
	line, err := Encode(r)
	if err != nil {
		return err
	}
	w.records++
	_, err = w.w.Write(line)
	return err
}

// ChangedPortal is a portal that was changed at every reading, so its records may not be of one moment.
type ChangedPortal struct {
	Account id.ID  `json:"account"`
	Portal  string `json:"portal"` // its slug
}

// End writes the last line. It says that the file is whole, and which portals are not of one moment.
func (w *Writer) End(changed []ChangedPortal) error {
	line, err := encode(struct {
		Kind    RecordKind      `json:"kind"`
		Records int             `json:"records"`
		Changed []ChangedPortal `json:"changed,omitempty"`
	}{kindEnd, w.records, changed})
	if err != nil {
		return err
	}
	_, err = w.w.Write(line)
	return err
}

// encode writes JSON without escaping <, > and &, which only HTML needs.
func encode(v any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return line.Bytes(), err
}
