package fetch

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// File is a file of a mail.
type File struct {
	Body []byte
	// What the download told. All are zero for a file that came with the mail.
	url         string
	final       *url.URL // after redirects
	contentType string   // the Content-Type header; may be empty
	disposition string   // the Content-Disposition header; may be empty
}

// Describe returns the file's name and type as an attachment. The mail's sender may have given both; each "" is
// replaced by what the download tells. The type must have passed [CheckType].
func (f File) Describe(name, asked string) (filename, contentType string) {
	named, _ := parseType(asked)
	if asked == "" {
		named = servedType(f.contentType)
	}
	names := f.names(name)
	t := named
	if t.base == "" {
		t = guess(names, f.Body)
	}
	return filenameOf(names, named.base, t.base), t.forBody(f.Body)
}

// URL returns the URL that a download ended at, after redirects.
func (f File) URL() *url.URL { return f.final }

// pages are the types of what a server answers in place of a file: errors, and forms to log in.
var pages = []string{"text/html", "application/xhtml+xml", "application/json", "application/problem+json"}

// ComesAs returns the server's type of a file if it is that of a page, and the name's extension is that of another
// type. Otherwise it returns "".
func (f File) ComesAs(name string) string {
	served, extension := servedType(f.contentType).base, strings.ToLower(path.Ext(name))
	if !slices.Contains(pages, served) {
		return ""
	}
	for _, e := range extensions {
		if e.extension == extension {
			if e.contentType == served || e.contentType == "text/html" && served == "application/xhtml+xml" ||
				e.contentType == "application/json" && served == "application/problem+json" {
				return ""
			}
			return served
		}
	}
	return ""
}

// names returns the possible names of a file, each made safe, the preferred one first: that of the mail's sender, those
// of the download's Content-Disposition, and the last element of the URL before redirects. Any of them may be empty.
func (f File) names(name string) []string {
	names := slices.Concat([]string{name}, dispositionNames(f.disposition), []string{urlName(f.url)})
	for i, raw := range names {
		names[i] = sanitize(raw)
	}
	return names
}
