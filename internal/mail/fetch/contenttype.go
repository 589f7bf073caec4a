package fetch

import (
	"maps"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"
)

const octetStream = "application/octet-stream"

// extensions lists what mails usually carry, the preferred extension of each type first. Package mime would read the
// table of the machine, and a mail should not depend on where it was built.
var extensions = []struct{ contentType, extension string }{
	{"application/pdf", ".pdf"},
	{"application/json", ".json"},
	{"application/xml", ".xml"},
	{"application/zip", ".zip"},
	{"application/gzip", ".gz"},
	{"application/rtf", ".rtf"},
	{"application/msword", ".doc"},
	{"application/vnd.ms-excel", ".xls"},
	{"application/vnd.ms-powerpoint", ".ppt"},
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx"},
	{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"},
	{"application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"},
	{"application/vnd.oasis.opendocument.text", ".odt"},
	{"application/vnd.oasis.opendocument.spreadsheet", ".ods"},
	{"audio/mpeg", ".mp3"},
	{"audio/wav", ".wav"},
	{"image/avif", ".avif"},
	{"image/bmp", ".bmp"},
	{"image/gif", ".gif"},
	{"image/heic", ".heic"},
	{"image/jpeg", ".jpg"},
	{"image/jpeg", ".jpeg"},
	{"image/png", ".png"},
	{"image/svg+xml", ".svg"},
	{"image/tiff", ".tiff"},
	{"image/tiff", ".tif"},
	{"image/webp", ".webp"},
	{"image/x-icon", ".ico"},
	{"text/calendar", ".ics"},
	{"text/css", ".css"},
	{"text/csv", ".csv"},
	{"text/html", ".html"},
	{"text/html", ".htm"},
	{"text/markdown", ".md"},
	{"text/plain", ".txt"},
	{"text/vcard", ".vcf"},
	{"video/mp4", ".mp4"},
	{"video/quicktime", ".mov"},
	{"video/webm", ".webm"},
}

// extension is the preferred extension of a type, "" for one that is not in the table.
func extension(contentType string) string {
	base, _, _ := mime.ParseMediaType(contentType)
	for _, e := range extensions {
		if e.contentType == base {
			return e.extension
		}
	}
	return ""
}

// typeOf is the type of an attachment: the one of its Content-Type header, else by the extension of its name, else
// sniffed from its first 512 bytes. A header that says only "bytes" says nothing.
//
// A part of type multipart or message may not be encoded in base64 (RFC 2046 section 5.2.1, RFC 2045
// section 6.4), so such a file is sent as bytes.
func typeOf(header string, names []string, body []byte) string {
	base, params, err := mime.ParseMediaType(header)
	if err != nil || !strings.Contains(base, "/") || base == octetStream || base == "binary/octet-stream" {
		base, params, _ = mime.ParseMediaType(guess(names, body))
	}
	if strings.HasPrefix(base, "multipart/") || strings.HasPrefix(base, "message/") {
		return octetStream
	}
	// A name among the parameters would get past the rules for file names, so only what is needed stays.
	maps.DeleteFunc(params, func(name, _ string) bool { return name != "charset" && name != "method" })
	if formatted := mime.FormatMediaType(base, params); formatted != "" && len(formatted) <= maxType {
		return formatted
	}
	return octetStream
}

// maxType is the length in bytes of the longest type that is taken over. Real ones are much shorter.
const maxType = 255

// guess is a type by extension, else sniffed. A text without a charset would be read as ASCII (RFC 2046 section 4.1.2),
// so a text in UTF-8 gets its charset, as sniffing gives it.
func guess(names []string, body []byte) string {
	for _, name := range names {
		ext := strings.ToLower(path.Ext(name))
		for _, e := range extensions {
			if e.extension != ext {
				continue
			}
			if strings.HasPrefix(e.contentType, "text/") && utf8.Valid(body) {
				return e.contentType + "; charset=utf-8"
			}
			return e.contentType
		}
	}
	return http.DetectContentType(body)
}
