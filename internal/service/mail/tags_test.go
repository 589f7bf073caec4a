package mail_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// TestTagsReachSESByName: SES gets the tags sorted by name, with those of the mail key and the stack. The message
// itself does not have them: its readers must not see them.
func TestTagsReachSESByName(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		long := strings.Repeat("t", 256)
		most, all := object{}, []tag{}
		for i := range 50 {
			name := fmt.Sprintf("tag-%02d", i)
			most[name], all = "x", append(all, tag{name, "x"})
		}
		for name, c := range map[string]struct {
			tags any
			want []tag
		}{
			"one": {object{"campaign": "news"}, []tag{{"campaign", "news"}}},
			"several, by name": {
				object{"b": "2", "a": "1", "A": "0"}, []tag{{"A", "0"}, {"a", "1"}, {"b", "2"}},
			},
			"all that they may be made of": {object{"azAZ09_-": "_-azAZ09"}, []tag{{"azAZ09_-", "_-azAZ09"}}},
			"as long as may be":            {object{long: long}, []tag{{long, long}}},
			"as many as may be":            {most, all},
			// SES writes the values of these two into Feedback-ID, by which Gmail groups its statistics. No other name
			// has a colon.
			"SES's own for feedback": {
				object{"ses:feedback-id-a": "news", "ses:feedback-id-b": "7"},
				[]tag{{"ses:feedback-id-a", "news"}, {"ses:feedback-id-b", "7"}},
			},
			"null and an empty one are none": {object{"a": nil, "b": "", "c": "3"}, []tag{{"c", "3"}}},
			"an empty map is none":           {object{}, nil},
			"null is none":                   {nil, nil},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				mail := s.mail(nil)
				mail["tags"] = c.tags
				m, reply := s.mustSend(t, mail)
				want := s.withKey(c.want...)
				if got := s.sesRequests(t, reply)[0].EmailTags; !slices.Equal(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
				if strings.Contains(string(m.raw), "campaign") {
					t.Errorf("the message tells of tags:\n%s", m.raw)
				}
				if reply.Warning != nil {
					t.Errorf("warnings %q", reply.Warning)
				}
			})
		}
	})
}

// withKey adds the tags of the mail key and the stack to others, and sorts them by name, as SES gets them.
func (s *stack) withKey(tags ...tag) []tag {
	ours := []tag{{"frontdesk-key", s.id.String()}, {"frontdesk-stack", s.Environ()["STACK_NAME"]}}
	all := append(slices.Clone(tags), ours...)
	slices.SortFunc(all, func(a, b tag) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// TestTagsThatAreRefused: the service knows SES's rules for tags, so that the error names the field. SES would refuse
// the whole mail for one bad tag.
func TestTagsThatAreRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		many := object{}
		for i := range 51 {
			many[fmt.Sprintf("t%d", i)] = "x"
		}
		for name, c := range map[string]struct {
			tags   any
			status int
			want   string
		}{
			"51 of them": {many, 200, "tags are too many: 51; at most 50 are allowed"},
			"a space in a name": {
				object{"my tag": "x"}, 200,
				"tags.my tag must have a name of ASCII letters, digits, _ and - (or be one of ses:feedback-id-a, " +
					"ses:feedback-id-b)",
			},
			"a colon in a name": {
				object{"ses:configuration-set": "x"}, 200,
				"tags.ses:configuration-set must have a name of ASCII letters",
			},
			// The log of mails goes by this tag: a client could put its mail into the log of another key.
			"the mail key's": {
				object{"frontdesk-key": "7"}, 200,
				"tags.frontdesk-key is reserved: the service tells its own mails by it",
			},
			"the stack's": {
				object{"frontdesk-stack": "production"}, 200,
				"tags.frontdesk-stack is reserved: the service tells its own mails by it",
			},
			"that of redirected mails": {
				object{"frontdesk-redirected": "true"}, 200,
				"tags.frontdesk-redirected is reserved: the service tells its own mails by it",
			},
			"a letter beyond ASCII": {object{"größe": "x"}, 200, "tags.größe must have a name of ASCII letters"},
			"an empty name":         {object{"": "x"}, 200, "tags. must have a name of ASCII letters"},
			"a name of 257 bytes":   {object{strings.Repeat("n", 257): "x"}, 200, "has a name of over 256 bytes"},
			"a dot in a value": {
				object{"version": "1.0"}, 200, "tags.version must be ASCII letters, digits, _ and -",
			},
			"an address for a value": {
				object{"to": "a@example.org"}, 200, "tags.to must be ASCII letters, digits, _ and -",
			},
			"a space for a value":     {object{"a": " "}, 200, "tags.a must be ASCII letters, digits, _ and -"},
			"a line break in a value": {object{"a": "x\r\ny"}, 200, "tags.a must be ASCII letters, digits, _ and -"},
			"a value beyond ASCII":    {object{"a": "ü"}, 200, "tags.a must be ASCII letters, digits, _ and -"},
			"a feedback tag's value": {
				object{"ses:feedback-id-a": "a:b"}, 200,
				"tags.ses:feedback-id-a must be ASCII letters, digits, _ and -",
			},
			"a value of 257 bytes": {object{"a": strings.Repeat("v", 257)}, 200, "tags.a is longer than 256 bytes"},
			"several faults, in order": {
				object{"b": "?", "a": "?"}, 200, "tags.a must be ASCII letters, digits, _ and -; tags.b must",
			},
			// Clients of SES's API have their tags in this form.
			"SES's own form": {
				array{object{"Name": "a", "Value": "b"}}, 400, "tags must be an object of strings",
			},
			"a number":         {object{"a": 1}, 400, "tags.a must be a string"},
			"a list of values": {object{"a": array{"b"}}, 400, "tags.a must be a string"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m := s.mail(object{"tags": c.tags, "htmlurl": s.files.URL + "/hello.html"})
				s.mustRefuse(t, m, c.status, c.want)
			})
		}
	})
}

// TestConfigurationSet: SES gets the configuration set of the template's parameter, else the one that the stack makes
// for its log. The function's policy must allow it.
func TestConfigurationSet(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		set := func(name string, oldNew ...string) func(*local.Options) {
			return func(o *local.Options) {
				o.Parameters = map[string]string{"SesConfigurationSet": name}
				o.Template = localtest.EditTemplate(t, oldNew...)
			}
		}
		localtest.Case(t, "set, for every group of recipients", func(t testing.TB) {
			s := start(t, set("news_2026-11"))
			_, reply := s.mustSend(t, s.mail(object{"tags": object{"a": "b"}, "recipients": recipients("r", 101)}))
			calls := s.sesRequests(t, reply)
			if len(calls) != 3 {
				t.Errorf("SES was asked %d times", len(calls))
			}
			for _, got := range calls {
				expect.Not(t, got.ConfigurationSetName, nil)
				expect.Equal(t, *got.ConfigurationSetName, "news_2026-11")
				expect.Equal(t, got.EmailTags, s.withKey(tag{"a", "b"}))
			}
		})
		for name, c := range map[string]struct{ days, want string }{
			"not set": {"30", "ConfigurationSet"}, "not set, without a log": {"0", ""},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t, func(o *local.Options) { o.Parameters = map[string]string{"MailLogDays": c.days} })
				_, reply := s.mustSend(t, s.mail(nil))
				got := s.sesRequests(t, reply)[0].ConfigurationSetName
				if c.want == "" {
					expect.Equal(t, got, nil, "configuration set")
				} else {
					expect.HasSuffix(t, aws.ToString(got), c.want, "configuration set")
				}
				// Without a log there is no route either.
				a, err := s.Try(s.Client(), fixture.To("listMails"), nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, a.Status == http.StatusNotFound, c.days == "0")
			})
		}
		localtest.Case(t, "set, and not allowed", func(t testing.TB) {
			s := start(t, set("news", "configuration-set/*", "configuration-set/other"))
			s.mustRefuse(t, s.mail(nil), 200, "SES does not let the service send it (AccessDeniedException)")
		})
	})
}
