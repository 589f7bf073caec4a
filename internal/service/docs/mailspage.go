package docs

import (
	"embed"
	"path"

	"frontdesk/internal/base/webparts"
)

//go:embed mails
var mailsFolder embed.FS

// mailsPage is the page that shows what became of mails, to whoever puts in a mail key. Its files are below its own
// address: those of its folder, and the pieces that it shares with the console of the local stack.
var (
	mailsPage  = newRead("text/html; charset=utf-8", mailsFolder, "mails/page.html")
	mailsFiles = filesOf(map[string]embed.FS{"mails": mailsFolder, ".": webparts.Files})
)

// mailsPolicy lets the page load its own files and call the API that serves it, and nothing else. No text can become
// markup or a script. https://www.w3.org/TR/CSP3/
const mailsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// filesOf returns the style sheets and the scripts of folders, by name.
func filesOf(folders map[string]embed.FS) map[string]*file {
	files := map[string]*file{}
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
	for folder, from := range folders {
		entries, _ := from.ReadDir(folder) // the compiler has embedded it
		for _, entry := range entries {
			if kind, ok := kinds[path.Ext(entry.Name())]; ok {
				files[entry.Name()] = newRead(kind, from, path.Join(folder, entry.Name()))
			}
		}
	}
	return files
}
