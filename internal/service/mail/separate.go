package mail

import (
	"fmt"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/api"
)

// Limits of a mail with separate in its config.
const (
	// MaxSeparate bounds the recipients. SES is called once for each, and usually takes 14 a second.
	MaxSeparate = 500
	// maxDiffering bounds, in bytes, the HTML and the plain text that are written anew for each recipient. Four
	// messages are in memory at once.
	maxDiffering = 1 << 20
)

// checkSeparate compares addresses after [Mail.checkRecipients] has normalized them. A bad one is "", which has its
// own fault already.
func (m *Mail) checkSeparate(f *api.Faults) {
	if !m.on(Separate) {
		return
	}
	const alone = "must not be given with separate in config: each mail shows only its own recipient"
	if len(m.CCs) > 0 {
		f.AddTo("ccs", alone)
	}
	if len(m.BCCs) > 0 {
		f.AddTo("bccs", alone)
	}
	if n := len(m.Recipients); n > MaxSeparate {
		f.AddTo("recipients", "are too many: %d; with separate in config at most %d are allowed", n, MaxSeparate)
		return
	}
	first := map[string]int{}
	for i, r := range m.Recipients {
		folded := address.Fold(r.Address)
		if at, twice := first[folded]; !twice {
			first[folded] = i
		} else if folded != "" {
			f.AddTo(fmt.Sprintf("recipients[%d].email", i),
				"is that of recipients[%d]: with separate in config each address gets one mail", at)
		}
	}
}
