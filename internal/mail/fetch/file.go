package fetch

// File is a file of a mail.
type File struct {
	Body []byte
	// What is known of a file that was downloaded. Of one that came with the mail all three are empty.
	url         string
	contentType string // the Content-Type header, may be empty
	disposition string // the Content-Disposition header, may be empty
}

// Describe gives the file's name and type as an attachment. Its sender may have named it; "" leaves that to the
// download.
func (f File) Describe(name string) (filename, contentType string) {
	names := f.names(name)
	contentType = typeOf(f.contentType, names, f.Body)
	return filenameOf(names, contentType), contentType
}

// names are the names that a file may have, the preferred one first: as its sender asks, by the download's
// Content-Disposition, by the last element of the URL as it was given. Any of them may be empty.
func (f File) names(name string) []string {
	return []string{name, dispositionName(f.disposition), urlName(f.url)}
}
