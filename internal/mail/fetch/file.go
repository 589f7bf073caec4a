package fetch

import "slices"

// File is a file of a mail.
type File struct {
	Body []byte
	// What the download told. All three are empty for a file that came with the mail.
	url         string
	contentType string // the Content-Type header; may be empty
	disposition string // the Content-Disposition header; may be empty
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

// names returns the possible names of a file, the preferred one first: that of the mail's sender, those of the
// download's Content-Disposition, and the last element of the URL before redirects. Any of them may be empty.
func (f File) names(name string) []string {
	return slices.Concat([]string{name}, dispositionNames(f.disposition), []string{urlName(f.url)})
}
