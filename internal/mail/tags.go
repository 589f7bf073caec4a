package mail

import (
	"maps"
	"slices"
	"strings"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/redirect"
)

// Limits of a mail's tags. SES documents those of one tag, and no number.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageTag.html
const (
	MaxTags = 50
	maxTag  = 256 // of a name, and of a value, in bytes
)

// feedbackTags are the two names in which SES allows a colon. It writes their values into the Feedback-ID field,
// by which Gmail tells its statistics apart.
// https://docs.aws.amazon.com/ses/latest/dg/monitor-using-event-publishing.html
var feedbackTags = []string{"ses:feedback-id-a", "ses:feedback-id-b"}

func (m *Mail) checkTags(f *faults) {
	if n := len(m.Tags); n > MaxTags {
		f.add("tags", "are too many: %d; at most %d are allowed", n, MaxTags)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m.Tags)) {
		field, value := "tags."+api.Brief(name), m.Tags[name]
		switch {
		case name == mailkey.Tag, name == stackTag, name == redirect.Tag:
			f.add(field, "is reserved: the service tells its own mails by it")
		case !isTag(name) && !slices.Contains(feedbackTags, name):
			f.add(field, "must have a name of ASCII letters, digits, _ and - (or be one of %s)", list(feedbackTags))
		case len(name) > maxTag:
			f.add(field, "has a name of over %d bytes", maxTag)
		case !isTag(value):
			f.add(field, "must be ASCII letters, digits, _ and -")
		case len(value) > maxTag:
			f.add(field, "is longer than %d bytes", maxTag)
		}
	}
}

// stackTag is the message tag that has the stack's name in every mail. The stack's rules for SES's events match it:
// other stacks of the account may share the configuration set.
const stackTag = "frontdesk-stack"

// isTag is SES's rule for names and values of tags.
func isTag(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-'
	})
}

// tagsOf are the tags of a mail, with those of the mail key and the stack that it is sent by.
func (m *Mail) tagsOf(key mailkey.Key, stack string) map[string]string {
	tags := map[string]string{mailkey.Tag: key.ID.String(), stackTag: stack}
	maps.Copy(tags, m.Tags)
	return tags
}
