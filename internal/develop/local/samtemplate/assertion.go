package samtemplate

import "frontdesk/internal/develop/local/document"

// assert refuses parameters that break a rule of the section Rules: where a rule's condition holds, each of its
// assertions has to hold.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html
func (s *scope) assert() {
	for name, rule := range document.Pairs(document.Lookup(s.Root, "Rules")) {
		s.checkKeys(rule, "the rule "+name.Value, "RuleCondition", "Assertions")
		if condition := document.Lookup(rule, "RuleCondition"); condition != nil && !s.truth(condition) {
			continue
		}
		assertions := document.Lookup(rule, "Assertions")
		if assertions == nil {
			panic(s.fail(name, "the rule %s has no Assertions", name.Value))
		}
		for _, assertion := range document.Listed(assertions) {
			s.checkKeys(assertion, "the assertion of "+name.Value, "Assert", "AssertDescription")
			holds, reason := document.Lookup(assertion, "Assert"), document.Lookup(assertion, "AssertDescription")
			if holds == nil || reason == nil {
				panic(s.fail(assertion, "an assertion needs Assert and AssertDescription"))
			}
			if !s.truth(holds) {
				panic(s.fail(assertion, "the rule %s: %s", name.Value, must(s.Text(reason))))
			}
		}
	}
}
