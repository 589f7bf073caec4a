package fetch

import "slices"

// File is a file of a mail.
type File struct {
	Body []byte
	// What is known of a file that was downloaded. Of one that came with the mail all three are empty.
	url         string
	contentType string // the Content-Type header, may be empty
	disposition string // the Content-Disposition header, may be empty
}

// Describe gives the file's name and type as an attachment. Its sender may have named both; "" leaves that to the
// download. The type has passed [CheckType].
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

// names are the names that a file may have, the preferred one first: as its sender asks, by the download's
// Content-Disposition, by the last element of the URL as it was given. Any of them may be empty.
func (f File) names(name string) []string {
	return slices.Concat([]string{name}, dispositionNames(f.disposition), []string{urlName(f.url)})
}
