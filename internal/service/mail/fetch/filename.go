package fetch

import (
	"net/url"
	"path"
	"strings"
	"unicode"
)

// maxFilename is the greatest length of a file name in bytes: usual file systems allow no more.
const maxFilename = 255

// filenameOf returns the first of the names that is not empty after it was made safe. If it has no extension, it gets
// that of named, the type that the sender or the server gave. If no name is usable, the result is "attachment" with
// the extension of contentType.
func filenameOf(names []string, named, contentType string) string {
	for _, candidate := range names {
		name := sanitize(candidate)
		if name == "" {
			continue
		}
		if ext := extension(named); ext != "" && !hasExtension(name) {
			name = sanitize(strings.TrimRight(name, ". ") + ext)
		}
		return name
	}
	return "attachment" + extension(contentType)
}

// hasExtension reports whether the text after the name's last dot is an extension. The "2" of "Version 1.2" is none.
func hasExtension(name string) bool {
	ext := path.Ext(name)
	return len(ext) <= maxExtension && strings.ContainsFunc(ext, unicode.IsLetter) &&
		!strings.ContainsFunc(ext, unicode.IsSpace)
}

// urlName returns the last element of a URL's path, decoded, without a trailing slash. As in browsers, it has no
// parameters such as ;jsessionid=1. An escaped slash is part of the element here; sanitize then treats it as a slash
// in a name.
func urlName(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	element, _, _ := strings.Cut(path.Base(u.EscapedPath()), ";")
	decoded, _ := url.PathUnescape(element) // EscapedPath is valid
	return strings.TrimRight(decodeBytes(decoded), "/")
}

// sanitize returns a name under which a file is safe to save: the last element of a path of any system, without
// control and formatting characters, leading dots and surrounding space. A right-to-left override, for instance,
// would show "txt.exe" as "exe.txt". The name has at most 255 bytes, and keeps its extension when it is cut. The
// result may be empty.
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

// maxExtension is the greatest length in bytes of an extension, with its dot. A longer ending is part of the name.
const maxExtension = 16
