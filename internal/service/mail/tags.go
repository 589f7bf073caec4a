package mail

import (
	"maps"
	"slices"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"
)

// Limits of a mail's tags. SES documents the limits of one tag, but no number of tags.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageTag.html
const (
	MaxTags = 50
	maxTag  = 256 // of a name, and of a value, in bytes
)

// feedbackTags are the only two names in which SES allows a colon. SES writes their values into the Feedback-ID field,
// and Gmail groups its statistics by that.
// https://docs.aws.amazon.com/ses/latest/dg/monitor-using-event-publishing.html
var feedbackTags = []string{"ses:feedback-id-a", "ses:feedback-id-b"}

// checkTags checks the tags by SES's rules, so that the answer names the field: SES would refuse the whole mail. Our
// own tags are reserved, because the events of a mail are matched by them.
func (m *Mail) checkTags(f *api.Faults) {
	if n := len(m.Tags); n > MaxTags {
		f.AddTo("tags", "are too many: %d; at most %d are allowed", n, MaxTags)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m.Tags)) {
		field, value := "tags."+api.Brief(name), m.Tags[name]
		switch {
		case name == mailkey.Tag, name == stackTag, name == redirect.Tag:
			f.AddTo(field, "is reserved: the service tells its own mails by it")
		case !isTag(name) && !slices.Contains(feedbackTags, name):
			f.AddTo(field, "must have a name of ASCII letters, digits, _ and - (or be one of %s)", list(feedbackTags))
		case len(name) > maxTag:
			f.AddTo(field, "has a name of over %d bytes", maxTag)
		case !isTag(value):
			f.AddTo(field, "must be ASCII letters, digits, _ and -")
		case len(value) > maxTag:
			f.AddTo(field, "is longer than %d bytes", maxTag)
		}
	}
}

// stackTag is the message tag with the stack's name. Every mail has it. The stack's rules for SES's events match on
// it, because other stacks of the account may share the configuration set.
const stackTag = "frontdesk-stack"

// isTag reports whether SES takes a text as the name or the value of a tag.
func isTag(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-'
	})
}

// tagsOf returns the tags of a mail, with those of its mail key and its stack. [Mail.checkTags] has refused these
// names, so a client cannot replace them.
func (m *Mail) tagsOf(key mailkey.Key, stack string) map[string]string {
	tags := map[string]string{mailkey.Tag: key.ID.String(), stackTag: stack}
	maps.Copy(tags, m.Tags)
	return tags
}
