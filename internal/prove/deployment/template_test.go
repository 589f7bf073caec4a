package deployment_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"gopkg.in/yaml.v3"
)

// template is template.yaml, with its resources by type. An intrinsic function is replaced by its argument: !Ref A
// is A.
type template struct {
	text      string
	resources map[string][]resource
}

// resource has the properties that the tests read, for resources of any type.
type resource struct {
	id                          string
	AccessLogSettings           struct{ Format string }
	LogGroupName, FilterPattern string
	MetricTransformations       []struct {
		MetricNamespace, MetricName, MetricValue string
		Dimensions                               []any
	}
	AlarmDescription, Namespace, MetricName, TreatMissingData string
	AlarmActions, Dimensions, Metrics                         []any
	Policies                                                  policies
	Events                                                    map[string]struct {
		Type       string
		Properties struct{ Pattern eventPattern }
	}
	EventPattern   eventPattern
	PolicyDocument any
}

// eventPattern is the pattern by which a rule selects events.
type eventPattern struct {
	Account []string
	Detail  struct {
		Mail struct{ Tags map[string][]string }
	}
}

// policies are the policies of a function. A role has a list of its own, which no test reads.
type policies struct{ Statement []statement }

func (p *policies) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return nil
	}
	type plain policies
	return json.Unmarshal(text, (*plain)(p))
}

// statement is one statement of a policy. Action is a string or a list.
type statement struct {
	Action    any
	Condition map[string]map[string][]string
}

// readTemplate reads template.yaml as it is deployed.
func readTemplate(t testing.TB) template {
	source, err := os.ReadFile(localtest.EditTemplate(t))
	var tree any
	if err == nil {
		err = yaml.Unmarshal(source, &tree)
	}
	var parsed struct {
		Resources map[string]struct {
			Type       string
			Properties resource
		}
	}
	if plain, _ := json.Marshal(tree); err == nil {
		err = json.Unmarshal(plain, &parsed)
	}
	if err != nil {
		t.Fatal(err)
	}
	read := template{string(source), map[string][]resource{}}
	for id, r := range parsed.Resources {
		r.Properties.id = id
		read.resources[r.Type] = append(read.resources[r.Type], r.Properties)
	}
	return read
}

// TestTemplateStyle: YAML is written in blocks. Braces hold one level of scalars, so no line closes several levels.
func TestTemplateStyle(t *testing.T) {
	source := readTemplate(t).text
	for _, long := range regexp.MustCompile(`(?m)^.{121,}$`).FindAllString(source, -1) {
		t.Errorf("a line is longer than 120 columns: %s", long)
	}
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(source), &file); err != nil {
		t.Fatal(err)
	}
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		for _, child := range n.Content {
			inBraces := n.Kind == yaml.MappingNode && child.Kind != yaml.ScalarNode
			if n.Style&yaml.FlowStyle != 0 && (inBraces || child.Kind == yaml.MappingNode) {
				t.Errorf("line %d: a mapping in braces is nested", child.Line)
			}
			walk(child)
		}
	}
	walk(&file)
}

// TestFunctionsReachKindsOfKeysAlone: each statement about the table names the kinds of keys that it is for. No
// function reaches the directory of what operators have made.
func TestFunctionsReachKindsOfKeysAlone(t *testing.T) {
	kinds := 0
	for _, function := range readTemplate(t).resources["AWS::Serverless::Function"] {
		for _, s := range function.Policies.Statement {
			if !strings.Contains(fmt.Sprint(s.Action), "dynamodb:") {
				continue
			}
			leading := s.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
			if len(leading) == 0 {
				t.Errorf("%s: a statement is about any key", function.id)
			}
			for _, pattern := range leading {
				kinds++
				expect.Equal(t,
					regexp.MustCompile(`^[A-Z]+#\*$`).MatchString(pattern), true, "pattern matches `^[A-Z]+#\\*$`")
				expect.Equal(t, strings.HasPrefix(pattern, "DIRECTORY"), false)
			}
		}
	}
	if kinds == 0 {
		t.Error("no function reaches anything: this proves nothing")
	}
}

// TestRulesOfEvents: each rule takes only the events of this stack's mails. The queue takes the events that a rule
// cannot deliver, whatever name CloudFormation gives it, and an alarm hears of events that the queue does not take.
func TestRulesOfEvents(t *testing.T) {
	read := readTemplate(t)
	patterns := map[string]eventPattern{} // by the rule's logical id
	for _, f := range read.resources["AWS::Serverless::Function"] {
		for name, event := range f.Events {
			if event.Type == "EventBridgeRule" {
				patterns[f.id+name] = event.Properties.Pattern // as SAM names the rule
			}
		}
	}
	for _, r := range read.resources["AWS::Events::Rule"] {
		patterns[r.id] = r.EventPattern
	}
	if len(patterns) != 2 {
		t.Errorf("the rules are %v, want one for the function and one for the webhook", patterns)
	}
	policy := fmt.Sprint(read.resources["AWS::SQS::QueuePolicy"][0].PolicyDocument)
	for rule, pattern := range patterns {
		if !reflect.DeepEqual(pattern.Account, []string{"AWS::AccountId"}) {
			t.Errorf("%s takes events of the accounts %v", rule, pattern.Account)
		}
		if tag := pattern.Detail.Mail.Tags["frontdesk-stack"]; !reflect.DeepEqual(tag, []string{"AWS::StackName"}) {
			t.Errorf("%s takes events of the stacks %v", rule, tag)
		}
		if !strings.Contains(policy, rule+".Arn") {
			t.Errorf("the queue's policy does not name %s: %s", rule, policy)
		}
		hears := func(a resource) bool {
			return a.MetricName == "InvocationsFailedToBeSentToDlq" && strings.Contains(fmt.Sprint(a.Dimensions), rule)
		}
		if !slices.ContainsFunc(read.resources["AWS::CloudWatch::Alarm"], hears) {
			t.Errorf("no alarm hears of what is lost by %s", rule)
		}
	}
}

// TestEveryMetricOfTheLogsHasOneAlarm: each alarm says what it means and what to do, and costs as little as it can.
// The counts are those of the page on the cost at rest.
func TestEveryMetricOfTheLogsHasOneAlarm(t *testing.T) {
	read := readTemplate(t)
	alarms := read.resources["AWS::CloudWatch::Alarm"]
	expect.AtLeast(t, len(alarms), 1)
	expect.AtMost(t, len(alarms), 15)
	type metric struct{ namespace, name string }
	made, watched := map[metric]int{}, map[metric]int{}
	for _, f := range read.resources["AWS::Logs::MetricFilter"] {
		for _, m := range f.MetricTransformations {
			made[metric{m.MetricNamespace, m.MetricName}]++
			if m.Dimensions != nil {
				t.Errorf("%s has a dimension, each value of which is billed as a metric", f.id)
			}
		}
	}
	sentenceEnd := regexp.MustCompile(`\.( [A-Z]|$)`)
	action := []any{"HasAlarmTopic", []any{"AlarmTopicArn"}, "AWS::NoValue"}
	for _, a := range alarms {
		m := metric{a.Namespace, a.MetricName}
		watched[m]++
		switch {
		case len(sentenceEnd.FindAllString(a.AlarmDescription, -1)) < 2:
			t.Errorf("%s does not say in two sentences what it means and what to do: %q", a.id, a.AlarmDescription)
		case !reflect.DeepEqual(a.AlarmActions, action):
			t.Errorf("%s does not go to AlarmTopicArn where there is one: %v", a.id, a.AlarmActions)
		case a.TreatMissingData == "":
			t.Errorf("%s does not say what it means that there is no data", a.id)
		case a.Metrics != nil:
			t.Errorf("%s is on metric math, which is billed for every metric in it", a.id)
		case !strings.HasPrefix(m.namespace, "AWS/") && (made[m] != 1 || a.Dimensions != nil):
			t.Errorf("%s is on %s, which %d filters make", a.id, m.name, made[m])
		}
	}
	page, err := os.ReadFile("../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("| %d alarms × $0.10 | $%.2f;", len(alarms), 0.10*float64(len(alarms))),
		fmt.Sprintf("| %d metrics of log filters × $0.30 |", len(made)),
		fmt.Sprintf("$%.2f at most |", 0.30*float64(len(made))),
	} {
		if !strings.Contains(string(page), row) {
			t.Errorf("the cost at rest has no %q", row)
		}
	}
	for m := range made {
		if watched[m] != 1 {
			t.Errorf("%s has %d alarms", m.name, watched[m])
		}
	}
}
