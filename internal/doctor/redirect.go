package doctor

import "strings"

// examineRedirect holds where the stack's mails go against its name: one for tests should write to nobody, and one in
// production to its recipients. Of a stack of another name a redirect is told, and no more.
func examineRedirect(s *stack) []Finding {
	const subject, parameter = "redirect", "RedirectMailTo"
	to := s.parameters[parameter]
	switch {
	case to == "" && strings.Contains(s.name, "staging"):
		return []Finding{advice(subject, s.update(parameter, "<an address of yours>"),
			"%s is named like a stack for tests, and its mails reach their recipients", s.name)}
	case to == "":
		return nil
	case s.name == "frontdesk" || strings.Contains(s.name, "prod"):
		return []Finding{advice(subject, s.update(parameter, ""),
			"every mail goes to %s, and none to its recipients", to)}
	}
	return []Finding{right(subject, "every mail goes to %s, and none to its recipients", to)}
}
