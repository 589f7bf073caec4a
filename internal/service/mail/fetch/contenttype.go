package fetch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const octetStream = "application/octet-stream"

// extensions lists the types that mails usually carry, each with its preferred extension first. Package mime would
// add the tables of the machine, but a mail should not depend on the machine.
var extensions = []struct{ contentType, extension string }{
	{"application/pdf", ".pdf"},
	{"application/json", ".json"},
	{"application/xml", ".xml"},
	{"text/xml", ".xml"},
	{"application/zip", ".zip"},
	{"application/gzip", ".gz"},
	{"application/x-tar", ".tar"},
	{"application/x-7z-compressed", ".7z"},
	{"application/vnd.rar", ".rar"},
	{"application/epub+zip", ".epub"},
	{"application/rtf", ".rtf"},
	{"application/postscript", ".ps"},
	{"application/pkcs7-signature", ".p7s"},
	{"application/pkcs7-mime", ".p7m"},
	{"application/pgp-signature", ".asc"},
	{"application/vnd.apple.pkpass", ".pkpass"},
	{"application/msword", ".doc"},
	{"application/vnd.ms-excel", ".xls"},
	{"application/vnd.ms-powerpoint", ".ppt"},
	{"application/vnd.ms-outlook", ".msg"},
	{"application/vnd.ms-excel.sheet.macroenabled.12", ".xlsm"},
	{"application/vnd.ms-word.document.macroenabled.12", ".docm"},
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx"},
	{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"},
	{"application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"},
	{"application/vnd.oasis.opendocument.text", ".odt"},
	{"application/vnd.oasis.opendocument.spreadsheet", ".ods"},
	{"application/vnd.oasis.opendocument.presentation", ".odp"},
	{"application/vnd.oasis.opendocument.graphics", ".odg"},
	{"audio/mpeg", ".mp3"},
	{"audio/mp4", ".m4a"},
	{"audio/ogg", ".ogg"},
	{"audio/wav", ".wav"},
	{"image/avif", ".avif"},
	{"image/bmp", ".bmp"},
	{"image/gif", ".gif"},
	{"image/heic", ".heic"},
	{"image/heif", ".heif"},
	{"image/jpeg", ".jpg"},
	{"image/jpeg", ".jpeg"},
	{"image/png", ".png"},
	{"image/svg+xml", ".svg"},
	{"image/tiff", ".tiff"},
	{"image/tiff", ".tif"},
	{"image/webp", ".webp"},
	{"image/x-icon", ".ico"},
	{"message/rfc822", ".eml"},
	{"text/calendar", ".ics"},
	{"text/css", ".css"},
	{"text/csv", ".csv"},
	{"text/tab-separated-values", ".tsv"},
	{"text/html", ".html"},
	{"text/html", ".htm"},
	{"text/markdown", ".md"},
	{"text/plain", ".txt"},
	{"text/plain", ".log"},
	{"text/vcard", ".vcf"},
	{"video/mp4", ".mp4"},
	{"video/quicktime", ".mov"},
	{"video/webm", ".webm"},
}

// extension returns the preferred extension of a type without parameters, or "" if the table does not have the type.
func extension(base string) string {
	for _, e := range extensions {
		if e.contentType == base {
			return e.extension
		}
	}
	return ""
}

// synonyms map names that servers use for a type to its registered or usual name.
var synonyms = map[string]string{
	"application/x-gzip":           "application/gzip",
	"application/x-pdf":            "application/pdf",
	"application/x-rar-compressed": "application/vnd.rar",
	"application/x-zip-compressed": "application/zip",
	"audio/mp3":                    "audio/mpeg",
	"audio/wave":                   "audio/wav",
	"audio/x-wav":                  "audio/wav",
	"image/jpg":                    "image/jpeg",
	"image/pjpeg":                  "image/jpeg",
	"image/x-png":                  "image/png",
}

// vague are the types that tell nothing about a file: the server knows no type, or wants the browser to save the file.
var vague = []string{
	octetStream, "application/octetstream", "application/x-octet-stream", "binary/octet-stream",
	"application/download", "application/x-download",
	"application/force-download", "application/x-force-download",
	"application/unknown", "unknown/unknown",
}

// mediaType is a type and its parameters (RFC 2045 section 5.1). The zero value means that there is none.
type mediaType struct {
	base   string
	params map[string]string
}

// maxType is the greatest length in bytes of a type that is accepted. Real types are much shorter.
const maxType = 255

// CheckType checks a type that the sender of a mail gives. The error's text continues a sentence that begins with the
// name of what holds it.
func CheckType(s string) error {
	_, err := parseType(s)
	return err
}

// parseType reads such a type. It also refuses a type that package mime cannot write, whose String is "".
func parseType(s string) (mediaType, error) {
	if len(s) > maxType {
		return mediaType{}, fmt.Errorf("is longer than %d bytes", maxType)
	}
	base, params, err := mime.ParseMediaType(s)
	t := mediaType{canonical(base), params}
	_, named := params["name"]
	switch {
	case err != nil, !isOneType(base), t.String() == "":
		return mediaType{}, errors.New("must be a media type, such as application/pdf or text/calendar; method=REQUEST")
	case !isFile(base):
		return mediaType{}, errors.New("must not be multipart/*, nor message/* other than message/rfc822: " +
			"a file is encoded in base64, and these may not be (RFC 2045 section 6.4)")
	case named:
		return mediaType{}, errors.New("must not have the parameter name: use filename")
	}
	return t, nil
}

// servedType returns the type of a server's Content-Type header. It returns the zero value for a vague or malformed
// type, and application/octet-stream for one that an attachment must not have.
func servedType(header string) mediaType {
	beginning, _, _ := strings.Cut(header, ";")
	base, _, err := mime.ParseMediaType(beginning)
	if err != nil || !isOneType(base) || slices.Contains(vague, base) {
		return mediaType{}
	}
	// Keep only the parameters that a mail needs: a parameter name would bypass the rules for file names.
	_, params, _ := mime.ParseMediaType(header)
	maps.DeleteFunc(params, func(name, _ string) bool { return name != "charset" && name != "method" })
	t := mediaType{canonical(base), params}
	if !isFile(base) || len(t.String()) > maxType {
		return mediaType{base: octetStream}
	}
	return t
}

// isOneType reports whether base has the form of a type. A range of types, such as */*, is none.
func isOneType(base string) bool { return strings.Contains(base, "/") && !strings.Contains(base, "*") }

// isFile reports whether a part of this type may be encoded as files are, in base64. A multipart or a message must
// not be (RFC 2045 section 6.4, RFC 2046 section 5.2). The exception is message/rfc822, which package compose writes
// without base64.
func isFile(base string) bool {
	return !strings.HasPrefix(base, "multipart/") &&
		(!strings.HasPrefix(base, "message/") || base == "message/rfc822")
}

func canonical(base string) string { return cmp.Or(synonyms[base], base) }

func (t mediaType) String() string { return mime.FormatMediaType(t.base, t.params) }

// forBody returns the type as it is written for a file with this body. Without a charset a text would be read as
// ASCII (RFC 2046 section 4.1.2), so a text in UTF-8 gets that charset. A text with ESC gets none, because it may be
// in ISO-2022, whose bytes are all ASCII.
func (t mediaType) forBody(body []byte) string {
	switch {
	case t.base == "message/rfc822": // it has no parameters
		return t.base
	case strings.HasPrefix(t.base, "text/") && t.params["charset"] == "" &&
		utf8.Valid(body) && bytes.IndexByte(body, 0x1b) < 0:
		t.params = maps.Clone(t.params)
		if t.params == nil {
			t.params = map[string]string{}
		}
		t.params["charset"] = "utf-8"
	}
	return t.String()
}

// guess returns the type that belongs to the first known extension among the names. Without one it looks at the first
// 512 bytes of the body.
func guess(names []string, body []byte) mediaType {
	for _, name := range names {
		ext := strings.ToLower(path.Ext(name))
		for _, e := range extensions {
			if e.extension == ext {
				return mediaType{base: e.contentType}
			}
		}
	}
	base, params, _ := mime.ParseMediaType(http.DetectContentType(body))
	if params["charset"] == "utf-8" { // DetectContentType says so of every text without a byte order mark
		params = nil
	}
	return mediaType{canonical(base), params}
}
