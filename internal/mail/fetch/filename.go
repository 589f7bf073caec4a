package fetch

import (
	"net/url"
	"path"
	"strings"
	"unicode"
)

// maxFilename is the length of a file name in bytes: what the usual file systems hold.
const maxFilename = 255

// filenameOf is the first of some names that can be made safe, with the extension of the type that was named for the
// file, "" for none, where it has none. Without any it is one by the type that the file has.
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

// hasExtension reports whether what is behind the name's last dot is an extension, unlike that of "Version 1.2".
func hasExtension(name string) bool {
	ext := path.Ext(name)
	return len(ext) <= maxExtension && strings.ContainsFunc(ext, unicode.IsLetter) &&
		!strings.ContainsFunc(ext, unicode.IsSpace)
}

// urlName is the last element of a URL's path, decoded, without a trailing slash and, as in browsers, without
// parameters such as ;jsessionid=1. An escaped slash is part of the element here, and a slash of a name for sanitize.
func urlName(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	element, _, _ := strings.Cut(path.Base(u.EscapedPath()), ";")
	decoded, _ := url.PathUnescape(element) // EscapedPath is valid
	return strings.TrimRight(decodeBytes(decoded), "/")
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
