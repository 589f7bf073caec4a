package samtemplate_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/samtemplatetest"
)

// TestParametersTakeTheirValueOrTheirDefault shows which value counts.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
func TestParametersTakeTheirValueOrTheirDefault(t *testing.T) {
	const source = `
Parameters:
  Name: {Type: String, Default: desk}
  Size: {Type: Number, Default: 5, MinValue: 1}
  Stage: {Type: String, Default: dev, AllowedValues: [dev, prod], AllowedPattern: '[a-z]+'}
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      Environment:
        Variables:
          NAME: !Ref Name
          SIZE: !Ref Size
          STAGE: !Ref Stage
`
	for _, c := range []struct {
		name       string
		parameters map[string]string
		variable   string
		want       string
	}{
		{"the default", nil, "NAME", "desk"},
		{"a given value wins over the default", map[string]string{"Name": "front"}, "NAME", "front"},
		// Only an absent value leads to the default: an empty string may switch something off.
		{"an empty value is a value", map[string]string{"Name": ""}, "NAME", ""},
		{"a number", map[string]string{"Size": "7"}, "SIZE", "7"},
		{"the least number", map[string]string{"Size": "1"}, "SIZE", "1"},
		{"one of the allowed values", map[string]string{"Stage": "prod"}, "STAGE", "prod"},
	} {
		t.Run(c.name, func(t *testing.T) {
			template, err := samtemplatetest.Parse(t, source, c.parameters)
			if err != nil {
				t.Fatal(err)
			}
			if got := template.Functions[0].Environment[c.variable]; got != c.want {
				t.Errorf("%s is %q, want %q", c.variable, got, c.want)
			}
		})
	}
}

// TestParameterMistakesNameTheirLine shows that a forbidden value is refused when the template is loaded, as
// CloudFormation refuses it before it deploys.
func TestParameterMistakesNameTheirLine(t *testing.T) {
	for _, c := range []struct {
		name, source string
		parameters   map[string]string
		want         string
	}{
		{"neither a value nor a default", "Parameters:\n  P: {Type: String} # here", nil,
			"the parameter P has neither a value nor a Default"},
		{"a value for no parameter", "Resources: {}\n", map[string]string{"P": "x"},
			"the template has no parameter P"},
		{"a value that is not allowed",
			"Parameters:\n  P:\n    Type: String\n    AllowedValues: [a, b] # here", map[string]string{"P": "c"},
			`the parameter P must be one of a, b, not "c"`},
		// The default counts like a given value, and the line is that of AllowedValues.
		{"a default that is not allowed",
			"Parameters:\n  P:\n    Type: String\n    Default: c\n    AllowedValues: [a, b] # here", nil,
			`the parameter P must be one of a, b, not "c"`},
		// The pattern must match the whole value, although it has neither ^ nor $.
		{"a value that matches only in part",
			"Parameters:\n  P:\n    Type: String\n    AllowedPattern: '[a-z]+' # here", map[string]string{"P": "a1"},
			`the parameter P must match [a-z]+, unlike "a1"`},
		{"a pattern that is none",
			"Parameters:\n  P:\n    Type: String\n    Default: a\n    AllowedPattern: '(' # here", nil,
			"the pattern of the parameter P: error parsing regexp: missing closing ): `^(?:()$`"},
		{"a number in words", "Parameters:\n  P: {Type: Number, Default: many} # here", nil,
			`the parameter P must be a number, not "many"`},
		{"a number below the least", "Parameters:\n  P: {Type: Number, MinValue: 1} # here",
			map[string]string{"P": "0"}, "the parameter P must be at least 1, not 0"},
		{"no type", "Parameters:\n  P: {Default: a} # here", nil, "the parameter P has no Type"},
		{"a list", "Parameters:\n  P: {Type: CommaDelimitedList, Default: a} # here", nil,
			"the type CommaDelimitedList of the parameter P is not known"},
		{"another rule", "Parameters:\n  P: {Type: String, Default: a, MaxLength: 2} # here", nil,
			"MaxLength of the parameter P is not known"},
		{"a default that is a list", "Parameters:\n  P: {Type: String, Default: [a]} # here", nil,
			"a string is wanted here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := samtemplatetest.Parse(t, c.source, c.parameters)
			samtemplatetest.WantErrorHere(t, c.source, err, c.want)
		})
	}
}

// TestRulesRefuseParameters: where the condition of a rule holds, each of its assertions has to hold.
func TestRulesRefuseParameters(t *testing.T) {
	const source = `
Parameters:
  Purpose: {Type: String, AllowedValues: [production, test]}
  To: {Type: String, Default: ''}
  From: {Type: String, Default: a@example.org}
Rules:
  TestIsRedirected:
    RuleCondition: !Equals [!Ref Purpose, test]
    Assertions:
      - Assert: !Not [!Equals [!Ref From, '']]
        AssertDescription: it needs From
      - Assert: !Not [!Equals [!Ref To, '']] # here
        AssertDescription: it needs To
  Always:
    Assertions:
      - Assert: !Not [!Equals [!Ref To, !Ref From]]
        AssertDescription: they differ
`
	parse := func(parameters map[string]string) error {
		_, err := samtemplatetest.Parse(t, source, parameters)
		return err
	}
	for name, parameters := range map[string]map[string]string{
		"the condition does not hold": {"Purpose": "production"},
		"all assertions hold":         {"Purpose": "test", "To": "b@example.org"},
	} {
		if err := parse(parameters); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	samtemplatetest.WantErrorHere(t, source, parse(map[string]string{"Purpose": "test"}),
		"the rule TestIsRedirected: it needs To")
	always := strings.ReplaceAll(strings.ReplaceAll(source, " # here", ""), "!Ref From]]", "!Ref From]] # here")
	same := parse(map[string]string{"Purpose": "production", "To": "a@example.org"})
	samtemplatetest.WantErrorHere(t, always, same, "the rule Always: they differ")
	for want, source := range map[string]string{
		"the rule R has no Assertions":                    "Rules:\n  R: {} # here",
		"an assertion needs Assert and AssertDescription": "Rules:\n  R:\n    Assertions:\n      - Assert: true # here",
		"a condition is wanted here": "Rules:\n  R:\n    Assertions:\n" +
			"      - {Assert: a, AssertDescription: it is} # here",
		"Asserts of the rule R is not known":                       "Rules:\n  R: {Asserts: []} # here",
		"P is neither a parameter nor a resource of this template": "Rules:\n  R:\n    RuleCondition: !Ref P # here",
	} {
		_, err := samtemplatetest.Parse(t, source, nil)
		samtemplatetest.WantErrorHere(t, source, err, want)
	}
}

// TestDefaultsOfTheCaller are for parameters without a Default of their own, and yield to a given value.
func TestDefaultsOfTheCaller(t *testing.T) {
	path := filepath.Join(t.TempDir(), "template.yaml")
	const source = "Parameters:\n  A: {Type: String}\n  B: {Type: String}\n  C: {Type: String, Default: own}\n"
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := samtemplate.Load(path, samtemplate.Values{
		Parameters: map[string]string{"B": "given"},
		Defaults:   map[string]string{"A": "default", "B": "default", "C": "default", "Lacking": "default"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A": "default", "B": "given", "C": "own"}
	if !maps.Equal(loaded.Parameters, want) {
		t.Errorf("parameters %v, want %v", loaded.Parameters, want)
	}
}
