package mail

import (
	"encoding/json"
	"slices"

	"frontdesk/internal/base/api"
)

// switchNames maps fields of other mail APIs that decide whether, how often or to whom together a mail goes, or what it
// holds, to ours. They are errors like [decisiveNames], but for a value that asks for what holds anyway: that is a
// warning, so that no client breaks for it. Keys have the form of [plainPath].
var switchNames = map[string]string{
	preserveRecipients: "separate in config",

	"asm":                   useUnsubscribe,
	"topicid":               useUnsubscribe,
	"listmanagementoptions": useUnsubscribe,
	"listunsubscribe":       "List-Unsubscribe in headers, or " + useUnsubscribe,

	"idempotencykey":        useIdempotencyKey,
	"xidempotencykey":       useIdempotencyKey,
	"idempotencytoken":      useIdempotencyKey,
	"deduplicatecampaign":   useIdempotencyKey,
	"mjdeduplicatecampaign": useIdempotencyKey,

	"attachments":        "attachments",
	"attachment":         "attachments",
	"files":              "attachments",
	"file":               "attachments",
	"inline":             usePictures,
	"inlineattachments":  usePictures,
	"inlinedattachments": usePictures,
	"inlineimages":       usePictures,
	"images":             usePictures,
	"icalevent":          "attachments, one with the type text/calendar; method=REQUEST",
	"alternatives":       "html, text and attachments",
}

// impossibleNames maps further such fields to why there is nothing to use instead.
var impossibleNames = map[string]string{
	"test":        noTest,
	"testmode":    noTest,
	"o:testmode":  noTest,
	"sandbox":     noTest,
	"sandboxmode": noTest,
	"dryrun":      noTest,
	// Inside, SendGrid and SparkPost have their test modes, and whether people who have unsubscribed get the mail.
	"mailsettings": noOptions,
	"options":      noOptions,
	"amp":          noAMP,
	"amphtml":      noAMP,
}

const (
	useUnsubscribe    = "separate and unsubscribe in config, and list"
	useIdempotencyKey = "the HTTP header Idempotency-Key"
	usePictures       = "attachments, with a cid"

	noTest    = "the mail would be sent; for tests, use a mail key that redirects its mails"
	noOptions = "what is in it, such as a test mode, is not read; all options are in config"
	noAMP     = "a mail has html and text alone"
)

// preserveRecipients is Mandrill's field that shows the recipients to each other, which holds unless it is turned off.
const preserveRecipients = "preserverecipients"

// asksForChange reports whether a field is a switch, ours at the wrong place or another API's, and its value asks for
// what does not hold anyway, by itself or by the mail's config.
func (m *Mail) asksForChange(plain string, value json.RawMessage) bool {
	switch {
	case plain == preserveRecipients:
		return api.TurnsOff(value) && !m.on(Separate)
	case isSwitch(plain):
		return api.TurnsOn(value) && !m.on(Switch(plain))
	case switchNames[plain] != "", impossibleNames[plain] != "":
		return api.TurnsOn(value)
	}
	return false
}

// isSwitch reports whether a field is one of the words in config, in whatever spelling.
func isSwitch(plain string) bool { return slices.Contains(switches, Switch(plain)) }

// inConfig returns how config has a switch.
func inConfig(s Switch) string {
	if s == Unsubscribe {
		return `"config": ["separate", "unsubscribe"]` // it needs the other one
	}
	return `"config": ["` + string(s) + `"]`
}
