package architecture

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// rule says which packages of the project some packages may import. Patterns are without "internal/". A pattern is one
// of [path.Match], or ends in /... for a package and all below it. "same" is each package below the same folder of the
// same room, as service/mail and all below it.
type rule struct{ packages, mayImport string }

// rules are read from the top: the first that names a package counts.
var rules = []rule{
	// A function wires one service to the events of API Gateway: see TestAFunctionWiresOneService.
	{"functions/*", "service/... base/api"},

	// Services do not know each other. Members are users of apps and of portals: their service stands above the two.
	{"service/member", "service/category/portal service/user/platformapp base/..."},
	{"service/docs", "base/api base/webpage base/webparts"},
	{"service/loginpage", "base/api base/webpage"},
	// What reads or makes texts knows no table and no AWS.
	{"service/mail/relativeurl service/mail/base64 service/mail/compose service/mail/contentid service/mail/fetch " +
		"service/mail/icalendar service/mail/placeholder service/mail/plaintext service/mail/redirect " +
		"service/category/tree service/user/foreignhash",
		"service/mail/base64 base/address base/api base/htmlparse base/id base/invisible"},
	{"service/...", "same base/..."},

	// The base stands on itself. Most of its packages know nothing else of the project.
	{"base/answercache base/credential base/table", "base/..."},
	{"base/api base/awsconf", "base/execution"},
	{"base/...", ""},

	// What operators run. A walk over the table learns the kinds of items from its caller, so it knows no service.
	{"operate/check operate/doctor operate/restore operate/transfer", "base/..."},
	{"operate/frontdesk operate/frontdesk/demo", "operate/... service/... base/... develop/..."},
	{"operate/...", "operate/... service/... base/..."},

	// The local stack knows template.yaml, and nothing of the API.
	{"develop/...", "develop/... base/execution base/htmlparse base/webparts"},

	{"prove/...", "..."},
}

// TestPackagesImportOnlyWhatTheyMay compares every import with the rules. A rule that no package needs fails it, too.
func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, p := range list(t, "./...") {
		name := nameOf(p.ImportPath)
		i := slices.IndexFunc(rules, func(r rule) bool { return matchesAny(r.packages, name) })
		if i < 0 {
			t.Errorf("no rule says what %s may import", name)
			continue
		}
		used[rules[i].packages] = true
		for _, imported := range p.Imports {
			if other := nameOf(imported); other != imported && !mayImport(rules[i], name, other) {
				t.Errorf("%s may not import %s", name, other)
			}
		}
	}
	for _, r := range rules {
		if !used[r.packages] {
			t.Errorf("the rule for %s is of no package", r.packages)
		}
	}
}

// nameOf returns how the rules name a package of the project. Other import paths stay as they are.
func nameOf(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "internal/")
}

func mayImport(r rule, name, other string) bool {
	for pattern := range strings.FieldsSeq(r.mayImport) {
		if pattern == "same" {
			pattern = folderOf(name) + "/..."
		}
		if matches(pattern, other) {
			return true
		}
	}
	return false
}

// folderOf returns the first two parts of a name: a room, and a folder in it.
func folderOf(name string) string {
	parts := strings.SplitN(name, "/", 3)
	return path.Join(parts[:2]...)
}

func matchesAny(patterns, name string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(pattern string) bool { return matches(pattern, name) })
}

// matches reports whether a pattern matches a package: see [rule].
func matches(pattern, name string) bool {
	if tree, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(name+"/", tree)
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// TestAFunctionWiresOneService: what a function imports of the services stands below one folder.
func TestAFunctionWiresOneService(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./functions/...") {
		services := map[string]bool{}
		for _, imported := range p.Imports {
			if name := nameOf(imported); strings.HasPrefix(name, "service/") {
				services[folderOf(name)] = true
			}
		}
		if len(services) != 1 {
			t.Errorf("%s imports %d services", p.ImportPath, len(services))
		}
	}
}

// TestPackagesLinkNothingElse: these packages link only the listed modules of others, directly or through
// other packages.
func TestPackagesLinkNothingElse(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string][]string{
		"internal/service/mail/compose": {},
		"internal/service/docs": {
			"github.com/aws/aws-lambda-go", "github.com/go-json-experiment/json", "github.com/swaggest/swgui",
			"golang.org/x/sync",
		},
		"internal/service/loginpage": {
			"github.com/aws/aws-lambda-go", "github.com/go-json-experiment/json", "golang.org/x/sync",
		},
	} {
		for _, dependency := range list(t, "-deps", "./"+name) {
			if m := dependency.Module; m != nil && m.Path+"/" != module && !slices.Contains(allowed, m.Path) {
				t.Errorf("%s links %s", name, dependency.ImportPath)
			}
		}
	}
}
