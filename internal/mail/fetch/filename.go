package fetch

import (
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode"
)

// maxFilename is the length of a file name in bytes: what the usual file systems hold.
const maxFilename = 255

// filenameOf is the first of some names that can be made safe, else one by the type.
func filenameOf(names []string, contentType string) string {
	for _, candidate := range names {
		if name := sanitize(candidate); name != "" {
			return name
		}
	}
	return "attachment" + extension(contentType)
}

// dispositionName is the file name of a Content-Disposition header, filename* before filename (RFC 6266
// section 4.3), "" if it has none.
func dispositionName(header string) string {
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return params["filename"]
}

// urlName is the last element of an URL's path, decoded, without query and trailing slash.
func urlName(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.Path, "/")
}

// sanitize makes a name that is safe to save a file under: the last element of a path of any system, without control
// and formatting characters (a right-to-left override shows "txt.exe" as "exe.txt"), leading dots and surrounding
// space, at most 255 bytes with its extension kept. The result may be empty.
func sanitize(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029' {
			return -1
		}
		return c
	}, name)
	name = strings.TrimSpace(strings.TrimLeftFunc(name, func(c rune) bool { return c == '.' || unicode.IsSpace(c) }))
	if len(name) <= maxFilename {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > maxExtension {
		ext = ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(name[:maxFilename-len(ext)], "")) + ext
}

// maxExtension is the longest ending in bytes that is taken for an extension.
const maxExtension = 16
