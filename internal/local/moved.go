package local

import (
	"frontdesk/internal/local/console"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/ses"
	"frontdesk/internal/local/template"
)

// What other packages know by the names that it had here. It goes when they do not.
type (
	Call       = gate.Call
	Credential = console.Credential
	Shown      = console.Shown
	Fault      = gate.Fault
	Function   = template.Function
	Outbox     = ses.Outbox
	Route      = template.Route
	Values     = template.Values
)

var (
	LoadTemplate = template.Load

	Throttled   = gate.Throttled
	Conflict    = gate.Conflict
	ServerError = gate.ServerError
	CutBefore   = gate.CutBefore
	CutAfter    = gate.CutAfter
	KillBefore  = gate.KillBefore
	KillAfter   = gate.KillAfter
	Delay       = gate.Delay
)
