package doctor

import (
	"slices"
	"strings"

	"frontdesk/internal/address"
)

// production are the stacks that samconfig.toml has for production.
var production = []string{"frontdesk", "frontdesk-prod"}

// examineRedirect holds where the stack's mails go against its name: one for tests should write to nobody, and one in
// production to its recipients. Of a stack of another name a redirect is told, and no more. No command is given that
// ends a redirect: the stack may be for tests all the same.
func examineRedirect(s *stack) []Finding {
	const subject, parameter = "redirect", "RedirectMailTo"
	to := s.parameters[parameter]
	switch {
	case to == "" && strings.Contains(s.name, "staging"):
		return []Finding{advice(subject, s.update(parameter, "<an address of yours>"),
			"%s is named like a stack for tests, and its mails reach their recipients", s.name)}
	case to == "":
		return nil
	}
	if _, err := address.Parse(to); err != nil {
		return []Finding{missing(subject, s.update(parameter, "<an address of yours>"),
			"no mail is sent: %s %v", parameter, err)}
	}
	if slices.Contains(production, s.name) {
		return []Finding{advice(subject, "deploy it with an empty "+parameter+", unless it is for tests",
			"every mail goes to %s, and none to its recipients", to)}
	}
	return []Finding{right(subject, "every mail goes to %s, and none to its recipients", to)}
}
