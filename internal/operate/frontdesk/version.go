package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"frontdesk/internal/operate/frontdesk/commandline"
)

// versionCommand is frontdesk version, for those who look for a command rather than for a flag.
type versionCommand struct{}

// Run prints what --version prints. With --json it is an object, which --version cannot print.
func (versionCommand) Run(out commandline.Output) error {
	result := struct {
		Version string `json:"version"`
	}{version()}
	return out.Report(result, "%s", result.Version)
}

// version describes this program's build. A binary that was built without modules has no facts of its build.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return versionOf(&debug.BuildInfo{})
	}
	return versionOf(build)
}

// versionOf returns the version, the commit and the Go of a build: "frontdesk v1.2.3 (commit 0123456789ab…, modified,
// go1.26.0, linux/arm64)". A build that knows no version says "devel", and one that knows no commit leaves it out.
// "modified" says that files differed from the commit.
func versionOf(build *debug.BuildInfo) string {
	var facts []string
	for _, setting := range build.Settings {
		switch {
		case setting.Key == "vcs.revision":
			facts = append(facts, "commit "+setting.Value)
		case setting.Key == "vcs.modified" && setting.Value == "true":
			facts = append(facts, "modified")
		}
	}
	facts = append(facts, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	name := strings.Trim(cmp.Or(build.Main.Version, "devel"), "()") // Go writes "(devel)"
	return fmt.Sprintf("frontdesk %s (%s)", name, strings.Join(facts, ", "))
}
