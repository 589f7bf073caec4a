package doctor

import "frontdesk/internal/base/address"

// examinePurpose asks what a stack is for that an earlier template made, which did not say so.
func examinePurpose(s *stack) []Finding {
	const subject, parameter = "purpose", "Purpose"
	if _, says := s.parameters[parameter]; says {
		return nil
	}
	return []Finding{advice(subject, s.update(parameter, "<production or test>"),
		"%s does not say whether it is for production or for test", s.name)}
}

// examineRedirect compares where the stack's mails go with its purpose: those of production should reach their
// recipients. The template itself refuses a stack for test whose mails do.
func examineRedirect(s *stack) []Finding {
	const subject, parameter = "redirect", "RedirectMailTo"
	to := s.parameters[parameter]
	if to == "" {
		return nil
	}
	if _, err := address.Parse(to); err != nil {
		return []Finding{missing(subject, s.update(parameter, "<an address of yours>"),
			"no mail is sent: %s %v", parameter, err)}
	}
	if s.parameters["Purpose"] == "production" {
		return []Finding{advice(subject, s.update(parameter, ""),
			"%s is for production, but every mail goes to %s, and none to its recipients", s.name, to)}
	}
	return []Finding{right(subject, "every mail goes to %s, and none to its recipients", to)}
}
