package mail

import (
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/icalendar"
)

// invite finds the invitation among the attachments: the first text/calendar file whose type has a method. A nil file
// was left out.
//
// The invitation becomes an alternative to the texts. Only there do mail readers show buttons for it (RFC 6047 section
// 2.4; Outlook: MS-OXCMAIL section 2.1.3.3.8). The file stays as an attachment for other readers, without its method:
// with it some readers would take the file for a second invitation. Both are in UTF-8 with CRLF, whatever came, see
// [icalendar.Text]. Warnings say what a reader may misunderstand.
func invite(files []*compose.File) (invitation *compose.Calendar, warnings []string) {
	first, hidden := 0, ""
	for i, f := range files {
		if f == nil {
			continue
		}
		method, params := calendarOf(f.ContentType)
		switch {
		case method == "":
			if asked := hiddenInvitation(f); asked != "" && hidden == "" {
				hidden = fmt.Sprintf("attachments[%d] is an invitation, and leaves as a file without buttons to "+
					"answer: give it the type %q", i, asked)
			}
		case len(f.Body) > MaxText:
			warnings = append(warnings, fmt.Sprintf(
				"attachments[%d] stays a file: an invitation has at most %d bytes", i, MaxText))
		case invitation != nil:
			warnings = append(warnings, fmt.Sprintf(
				"attachments[%d] stays a file: a mail has one invitation, which is attachments[%d]", i, first))
		default:
			first = i
			if text, guessed, err := icalendar.Text(f.Body, params["charset"]); err != nil {
				warnings = append(warnings, fmt.Sprintf("attachments[%d] is sent as it is: %s", i, err))
			} else {
				f.Body, params["charset"] = text, "utf-8"
				if guessed {
					warnings = append(warnings, fmt.Sprintf("attachments[%d] is not in UTF-8: "+
						"it was read as windows-1252; name its charset in its type", i))
				}
			}
			invitation = &compose.Calendar{ContentType: mime.FormatMediaType(calendarType, params), Body: f.Body}
			delete(params, "method")
			f.ContentType = mime.FormatMediaType(calendarType, params)
			if inside := icalendar.Method(f.Body); !strings.EqualFold(inside, method) {
				warnings = append(warnings, fmt.Sprintf("attachments[%d].type has the method %q, and its file has %s: "+
					"mail readers want the same in both", i, api.Brief(method), quotedOrNone(inside)))
			}
		}
	}
	if invitation == nil && hidden != "" {
		warnings = append(warnings, hidden)
	}
	return invitation, warnings
}

// answerable are the methods for which mail readers show buttons, or do what a button asked for (RFC 5546).
var answerable = []string{"REQUEST", "REPLY", "CANCEL", "COUNTER"}

// hiddenInvitation returns the type that would make an invitation of a calendar whose type has no method, or "".
func hiddenInvitation(f *compose.File) string {
	base, params, err := mime.ParseMediaType(f.ContentType)
	if err != nil || base != calendarType && !strings.EqualFold(path.Ext(f.Name), ".ics") {
		return ""
	}
	method := strings.ToUpper(icalendar.Method(f.Body))
	if !slices.Contains(answerable, method) {
		return ""
	}
	switch {
	case base != calendarType:
		params = map[string]string{}
	case params["charset"] == "utf-8": // which the type gets by itself
		delete(params, "charset")
	}
	params["method"] = method
	return mime.FormatMediaType(calendarType, params)
}

const calendarType = "text/calendar"

// calendarOf returns the method and all parameters of a calendar's type. The method is "" for any other type.
func calendarOf(contentType string) (method string, params map[string]string) {
	base, params, err := mime.ParseMediaType(contentType)
	if err != nil || base != calendarType {
		return "", nil
	}
	return params["method"], params
}

// quotedOrNone returns a method for a warning. A calendar file may lack one.
func quotedOrNone(method string) string {
	if method == "" {
		return "none"
	}
	return fmt.Sprintf("%q", api.Brief(method))
}
