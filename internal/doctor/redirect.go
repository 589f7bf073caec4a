package doctor

import (
	"slices"
	"strings"

	"frontdesk/internal/address"
)

// production are the names that samconfig.toml gives production stacks.
var production = []string{"frontdesk", "frontdesk-prod"}

// examineRedirect compares where the stack's mails go with its name: a stack for tests should write to nobody, and
// one in production to the recipients. For a stack of another name it only reports a redirect. It gives no command
// that ends a redirect, because the stack may be for tests whatever its name is.
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
