package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is that of the build, such as "v0.0.0-20260102150405-0123456789ab": the commit, "+dirty" with changes beside
// it; "(devel)" where it was built without version control.
func version() string {
	name := "(devel)"
	if build, ok := debug.ReadBuildInfo(); ok {
		name = cmp.Or(build.Main.Version, name)
	}
	return fmt.Sprintf("frontdesk %s (%s, %s/%s)", name, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
