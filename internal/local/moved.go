package local

import (
	"frontdesk/internal/local/ses"
	"frontdesk/internal/local/template"
)

// What other packages know by the names that it had here. It goes when they do not.
type (
	Function = template.Function
	Outbox   = ses.Outbox
	Route    = template.Route
	Values   = template.Values
)

var LoadTemplate = template.Load
