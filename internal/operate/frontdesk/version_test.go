package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestVersionSaysWhatTheBuildKnows: the commit, and whether files were changed since, as far as Go has recorded it.
func TestVersionSaysWhatTheBuildKnows(t *testing.T) {
	t.Parallel()
	const revision = "0123456789abcdef01234567"
	type settings = []debug.BuildSetting
	commit := debug.BuildSetting{Key: "vcs.revision", Value: revision}
	modified := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	unmodified := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	for name, c := range map[string]struct {
		version  string
		settings settings
		want     string // without what every build knows
	}{
		"nothing": {"", nil, "frontdesk devel ("},
		// Go writes "(devel)" for a build that has no version.
		"no version control": {"(devel)", nil, "frontdesk devel ("},
		"a commit alone":     {"(devel)", settings{commit, unmodified}, "frontdesk devel (commit " + revision + ", "},
		"a release":          {"v1.2.3", settings{commit, unmodified}, "frontdesk v1.2.3 (commit " + revision + ", "},
		"a modified release": {
			"v1.2.3+dirty", settings{commit, modified}, "frontdesk v1.2.3+dirty (commit " + revision + ", modified, ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := c.want + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
			got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings})
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
