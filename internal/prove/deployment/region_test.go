package deployment_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/localtest"
)

// scopes says, for each type of resource in the template, where its names are unique. "" stands for names that
// CloudFormation makes up or that exist in one region, and "record" for a name of the DNS, which only one stack can
// have at a time. Any other value is the property with the name in the whole account, in all regions together.
var scopes = map[string]string{
	"AWS::ApiGatewayV2::ApiMapping":              "",
	"AWS::ApiGatewayV2::DomainName":              "",
	"AWS::CloudWatch::Alarm":                     "",
	"AWS::CloudWatch::Dashboard":                 "DashboardName",
	"AWS::DynamoDB::Table":                       "",
	"AWS::Events::ApiDestination":                "",
	"AWS::Events::Connection":                    "",
	"AWS::Events::Rule":                          "",
	"AWS::IAM::Role":                             "RoleName",
	"AWS::Logs::LogGroup":                        "",
	"AWS::Logs::MetricFilter":                    "",
	"AWS::Route53::RecordSet":                    "record",
	"AWS::SES::ConfigurationSet":                 "",
	"AWS::SES::ConfigurationSetEventDestination": "",
	"AWS::SQS::Queue":                            "",
	"AWS::SQS::QueuePolicy":                      "",
	"AWS::SSM::Parameter":                        "",
	"AWS::Serverless::Function":                  "",
	"AWS::Serverless::HttpApi":                   "",
}

// TestStacksOfOneNameInTwoRegions: a name that the template gives in the whole account differs from stack to stack,
// and from region to region. Otherwise the second stack could not be made, and would be rolled back.
func TestStacksOfOneNameInTwoRegions(t *testing.T) {
	read := readTemplate(t)
	given := 0
	for kind := range read.resources {
		property, known := scopes[kind]
		if !known {
			t.Errorf("it is not said here where names of %s are unique", kind)
		}
		if property == "" || property == "record" {
			continue
		}
		for _, name := range regexp.MustCompile(`(?m)^ +`+property+`: (.+)$`).FindAllStringSubmatch(read.text, -1) {
			given++
			path := localtest.EditTemplate(t, "          STACK_NAME: !Ref AWS::StackName",
				"          STACK_NAME: "+name[1])
			names := map[string]bool{}
			stacks := []samtemplate.Values{
				{Region: "us-east-1", StackName: "desk"},
				{Region: "eu-west-1", StackName: "desk"},
				{Region: "us-east-1", StackName: "desk-2"},
			}
			for _, stack := range stacks {
				stack.AccountID, stack.Partition = "123456789012", "aws"
				stack.Parameters = map[string]string{"Purpose": "production"}
				loaded, err := samtemplate.Load(path, stack)
				if err != nil {
					t.Fatal(err)
				}
				names[loaded.Functions[0].Environment["STACK_NAME"]] = true
			}
			if len(names) != len(stacks) {
				t.Errorf("%d stacks have as %s %q", len(stacks), property, slices.Sorted(maps.Keys(names)))
			}
		}
	}
	if given == 0 {
		t.Error("the template gives no such name: this proves nothing")
	}
}
