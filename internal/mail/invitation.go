package mail

import (
	"fmt"
	"mime"
	"strings"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/icalendar"
)

// invite finds the invitation among the attachments: the first text/calendar file whose type has a method. A nil file
// was left out.
//
// The invitation becomes an alternative to the texts. Only there do mail readers show buttons for it (RFC 6047 section
// 2.4; Outlook: MS-OXCMAIL section 2.1.3.3.8). The file stays as an attachment for other readers, without its method:
// with it some readers would take the file for a second invitation. Warnings say what a reader may misunderstand.
func invite(files []*compose.File) (invitation *compose.Calendar, warnings []string) {
	first := 0
	for i, f := range files {
		if f == nil {
			continue
		}
		method, without := cutMethod(f.ContentType)
		switch {
		case method == "":
		case invitation != nil:
			warnings = append(warnings, fmt.Sprintf(
				"attachments[%d] stays a file: a mail has one invitation, which is attachments[%d]", i, first))
		default:
			invitation, first = &compose.Calendar{ContentType: f.ContentType, Body: f.Body}, i
			f.ContentType = without
			if inside := icalendar.Method(f.Body); !strings.EqualFold(inside, method) {
				warnings = append(warnings, fmt.Sprintf("attachments[%d].type has the method %q, and its file has %s: "+
					"mail readers want the same in both", i, api.Brief(method), quotedOrNone(inside)))
			}
		}
	}
	return invitation, warnings
}

// cutMethod returns the method of a calendar's type, and the type without it. The method is "" for any other type.
func cutMethod(contentType string) (method, without string) {
	base, params, err := mime.ParseMediaType(contentType)
	if err != nil || base != "text/calendar" {
		return "", contentType
	}
	method = params["method"]
	delete(params, "method")
	return method, mime.FormatMediaType(base, params)
}

// quotedOrNone returns a method for a warning. A calendar file may lack one.
func quotedOrNone(method string) string {
	if method == "" {
		return "none"
	}
	return fmt.Sprintf("%q", api.Brief(method))
}
