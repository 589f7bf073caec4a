package fetch

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFilename is the greatest length of a file name in bytes: usual file systems allow no more.
const maxFilename = 255

// filenameOf returns the first of some safe names that is not empty. If it has no extension, it gets that of named, the
// type that the sender or the server gave. If all names are empty, the result is "attachment" with the extension of
// contentType.
func filenameOf(names []string, named, contentType string) string {
	name := cmp.Or(names...)
	if name == "" {
		return "attachment" + extension(contentType)
	}
	if ext := extension(named); ext != "" && !hasExtension(name) {
		return sanitize(name + ext)
	}
	return name
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

// sanitize returns a name under which a file is safe to save on any system (RFC 6266 section 4.3): the last element of
// a path, without control and formatting characters and without dots and space around it. A right-to-left override,
// for instance, would show "txt.exe" as "exe.txt". Signs that Windows does not allow become _, which also stands before
// the name of a device. The name has at most 255 bytes, and keeps its extension when it is cut. The result may be
// empty.
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
func sanitize(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029' {
			return -1
		}
		if strings.ContainsRune(`<>:"|?*`, c) {
			return '_'
		}
		return c
	}, name)
	name = noDevice(strings.TrimFunc(name, aroundName))
	if len(name) <= maxFilename {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > maxExtension {
		ext = ""
	}
	// What is left before the extension may be a device's name only now.
	return noDevice(strings.TrimRightFunc(strings.ToValidUTF8(name[:maxFilename-len(ext)], ""), aroundName) + ext)
}

// aroundName reports whether a character may not stand at an end of a name.
func aroundName(c rune) bool { return c == '.' || unicode.IsSpace(c) }

// devices are the names that Windows has for devices, in every folder and with every extension. A digit, also a raised
// one, stands for the #.
var devices = []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "COM#", "LPT#"}

// noDevice returns a name that opens no device.
func noDevice(name string) string {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	numbered := strings.TrimRight(base, "0123456789¹²³")
	if utf8.RuneCountInString(base) == utf8.RuneCountInString(numbered)+1 {
		base = numbered + "#"
	}
	if slices.Contains(devices, base) {
		return "_" + name
	}
	return name
}

// maxExtension is the greatest length in bytes of an extension, with its dot. A longer ending is part of the name.
const maxExtension = 16
