package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/doctor"
	"frontdesk/internal/local/account"
)

// TestWhomCloudWatchTellsOfAlarms: the doctor reads the policies of the alarms' topic and of its key as IAM does. If
// a policy leaves CloudWatch out, the mend is the same policy with one more statement. STACK and ACCOUNT in a policy
// stand for those of the test's stack. After the mend, the same examination must find nothing.
func TestWhomCloudWatchTellsOfAlarms(t *testing.T) {
	well := newDeployment(t)
	const (
		cloudWatch = `"Effect": "Allow", "Principal": {"Service": "cloudwatch.amazonaws.com"}`
		publish    = `{` + cloudWatch + `, "Action": "sns:Publish"}`
		useKey     = `"Action": ["kms:Decrypt", "kms:GenerateDataKey*"]`
		mended     = "its policy with a statement more"
		denied     = "take out of the policy what denies it: aws "
	)
	for name, c := range map[string]struct {
		topic, key string // statements; no key if the topic is not encrypted
		mend       string // "": nothing is missing
	}{
		"CloudWatch": {topic: publish},
		// IAM takes a single statement without an array.
		"a statement alone": {topic: `"Statement": ` + publish},
		"several services": {topic: `{"Effect": "Allow", "Principal": {"Service": ["events.amazonaws.com",
			"cloudwatch.amazonaws.com"]}, "Action": "sns:*"}`},
		"everybody": {topic: `{"Effect": "Allow", "Principal": "*", "Action": ["SNS:Subscribe", "SNS:Publish"]}`},
		"another service": {topic: `{"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"},
			"Action": "sns:Publish"}`, mend: mended},
		"another action": {topic: `{` + cloudWatch + `, "Action": "sns:Subscribe"}`, mend: mended},
		"alarms of the stack": {topic: `{` + cloudWatch + `, "Action": "sns:Publish", "Condition": {"ArnLike":
			{"aws:SourceArn": "arn:aws:cloudwatch:*:*:alarm:STACK-*"},
			"StringEquals": {"AWS:SourceAccount": ["1", "ACCOUNT"]}}}`},
		"alarms of another stack": {topic: `{` + cloudWatch + `, "Action": "sns:Publish", "Condition": {"ArnLike":
			{"aws:SourceArn": "arn:aws:cloudwatch:*:*:alarm:other-*"}}}`, mend: mended},
		"alarms of another account": {topic: `{` + cloudWatch + `, "Action": "sns:Publish", "Condition":
			{"StringEquals": {"aws:SourceAccount": "1"}}}`, mend: mended},
		// A service calls from no address that the policy could know, so the condition is never true.
		"addresses, which CloudWatch has not": {topic: `{` + cloudWatch + `, "Action": "sns:Publish", "Condition":
			{"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}}`, mend: mended},
		// The doctor does not know this operator, and reads the statement as one that does not apply.
		"an operator on numbers": {topic: `{` + cloudWatch + `, "Action": "sns:Publish", "Condition":
			{"NumericEquals": {"aws:SourceAccount": "ACCOUNT"}}}`, mend: mended},
		// CloudWatch sends the account of the alarm, so this denies nothing to it.
		"denied to who has no account": {topic: publish + `, {"Effect": "Deny", "Principal": "*",
			"Action": "sns:Publish", "Condition": {"Null": {"aws:SourceAccount": "true"}}}`},
		"denied to who has no address": {topic: publish + `, {"Effect": "Deny", "Principal": "*",
			"Action": "sns:Publish", "Condition": {"Null": {"aws:SourceIp": true}}}`, mend: denied},
		"denied without TLS": {topic: publish + `, {"Effect": "Deny", "Principal": "*", "Action": "sns:Publish",
			"Condition": {"Bool": {"aws:SecureTransport": false}}}`},
		// A service belongs to no organization. StringNotEquals is true for a missing key, so CloudWatch is
		// denied, too.
		"denied outside of an organization": {topic: publish + `, {"Effect": "Deny", "Principal": {"AWS": "*"},
			"Action": "sns:*", "Condition": {"StringNotEquals": {"aws:PrincipalOrgID": "o-1"}}}`, mend: denied},
		"denied outside of an organization but to services": {topic: publish + `, {"Effect": "Deny", "Principal": "*",
			"Action": "sns:*", "Condition": {"StringNotEqualsIfExists": {"aws:PrincipalOrgID": "o-1"},
			"BoolIfExists": {"aws:PrincipalIsAWSService": "false"}}}`},
		"a key for CloudWatch": {topic: publish, key: `{` + cloudWatch + `, ` + useKey + `}`},
		// A permission for the account's root is one for its users, by IAM; a service is none. The condition has a
		// quotation mark, which the mend must quote for the shell.
		"a key for the account": {topic: publish, key: `{"Effect": "Allow", "Action": "kms:*",
			"Principal": {"AWS": "arn:aws:iam::ACCOUNT:root"}, "Condition": {"StringLike": {"it's": "?"}}}`,
			mend: mended},
		// To publish to an encrypted topic takes both actions.
		"a key that CloudWatch may only decrypt with": {topic: publish,
			key: `{` + cloudWatch + `, "Action": "kms:Decrypt"}`, mend: mended},
		"a key that is denied": {topic: publish, key: `{` + cloudWatch + `, ` + useKey + `}, {"Effect": "Deny",
			"Principal": "*", "Action": "kms:Decrypt"}`, mend: denied},
	} {
		t.Run(name, func(t *testing.T) {
			d := &deployment{well.of(t), well.records}
			d.change(func(s *account.State) {
				id := strings.Split(*s.Stack.StackId, ":")
				document := func(statements string) string {
					statements = strings.NewReplacer("STACK", *s.Stack.StackName, "ACCOUNT", id[4]).Replace(statements)
					if strings.HasPrefix(statements, `"Statement"`) {
						return `{` + statements + `}`
					}
					return `{"Version": "2012-10-17", "Statement": [` + statements + `]}`
				}
				if c.key != "" {
					topicKey(nil)(s)
					topicOf(s).keyPolicy = document(c.key)
				}
				topicOf(s).attributes["Policy"] = document(c.topic)
			})
			amiss, _ := examine(d)
			if c.mend == "" {
				if len(amiss) > 0 {
					t.Errorf("found %+v", amiss)
				}
				return
			}
			subject := "policy of the alarms' topic"
			if c.key != "" {
				subject = "key of the alarms' topic"
			}
			if len(amiss) != 1 {
				t.Fatalf("found %+v, want one finding", amiss)
			}
			if got, want := amiss[0].Subject, subject; got != want {
				t.Fatalf("found something of the %s, want of the %s", got, want)
			}
			if got, want := amiss[0].State, doctor.Missing; got != want {
				t.Errorf("it is %s, want %s", got, want)
			}
			if c.mend != mended {
				if !strings.HasPrefix(amiss[0].Mend, c.mend) {
					t.Errorf("the mend is %s, want %s", amiss[0].Mend, c.mend)
				}
				return
			}
			args := pasted(t, amiss[0].Mend)
			after := args[len(args)-1]
			d.Account().Change(func(s *account.State) {
				alarms := topicOf(s)
				before := alarms.attributes["Policy"]
				if c.key != "" {
					before, alarms.keyPolicy = alarms.keyPolicy, after
				} else {
					alarms.attributes["Policy"] = after
				}
				was, is := statementsOf(t, before), statementsOf(t, after)
				if len(is) != len(was)+1 {
					t.Errorf("%s becomes %s, want one statement more", before, after)
				}
				if kept := is[:min(len(was), len(is))]; !reflect.DeepEqual(kept, was) {
					t.Errorf("it keeps %v, want %v", kept, was)
				}
			})
			amiss, err := examine(d)
			if err != nil {
				t.Errorf("after aws %q: %v", args, err)
			}
			if len(amiss) > 0 {
				t.Errorf("after aws %q: found %+v", args, amiss)
			}
		})
	}
}

// statementsOf returns the statements of a policy as JSON has them.
func statementsOf(t *testing.T, policy string) []any {
	t.Helper()
	var document struct{ Statement []any }
	if err := json.Unmarshal([]byte(policy), &document); err != nil {
		t.Fatal(err)
	}
	return document.Statement
}
