package samtemplate_test

import (
	"reflect"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/samtemplatetest"
)

// withAPI returns a template with one API that has these properties.
func withAPI(properties string) string {
	return "Parameters: {Origins: {Type: String, Default: 'https://a.example,https://b.example'}}\n" +
		"Conditions: {Yes: !Equals [a, a], No: !Equals [a, b]}\n" +
		"Resources:\n  Api:\n    Type: AWS::Serverless::HttpApi\n    Properties:\n      " + properties + "\n"
}

// TestCORSIsReadFromTheTemplate shows a configuration by itself, and as the project's template has it.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
func TestCORSIsReadFromTheTemplate(t *testing.T) {
	full := &samtemplate.CORS{
		AllowOrigins: []string{"https://a.example", "https://b.example"}, AllowMethods: []string{"GET", "POST"},
		AllowHeaders: []string{"x-key"}, ExposeHeaders: []string{"retry-after"}, MaxAge: 600,
	}
	for _, c := range []struct {
		name, source string
		want         *samtemplate.CORS
	}{
		{"none", withAPI("DisableExecuteApiEndpoint: true"), nil},
		{"some", withAPI("CorsConfiguration: {allowOrigins: [https://a.example, https://b.example], " +
			"allowMethods: [GET, POST], allowHeaders: [x-key], exposeHeaders: [retry-after], maxAge: 600}"), full},
		{"in an intrinsic", withAPI("CorsConfiguration: !If [Yes, {allowOrigins: !Split [',', " +
			"!Ref Origins], allowMethods: [GET, POST], allowHeaders: [x-key], exposeHeaders: [retry-after], " +
			"maxAge: 600}, !Ref AWS::NoValue]"), full},
		{"an intrinsic that is AWS::NoValue",
			withAPI("CorsConfiguration: !If [No, {allowOrigins: [a]}, !Ref AWS::NoValue]"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := samtemplatetest.MustParse(t, c.source).CORS; !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestCorsConfigurationMistakesNameTheirLine shows that a misspelt name is an error, and not a setting without effect.
// With allowOrigin in place of allowOrigins, every browser would refuse the answers, and nothing would say why.
func TestCorsConfigurationMistakesNameTheirLine(t *testing.T) {
	for _, c := range []struct{ name, properties, want string }{
		{"an unknown name", "CorsConfiguration:\n        allowOrigin: [a] # here",
			"allowOrigin is not known in a CorsConfiguration"},
		{"a name of SAM's", "CorsConfiguration:\n        AllowOrigins: [a] # here",
			"AllowOrigins is not known in a CorsConfiguration"},
		{"an unknown name in an intrinsic",
			"CorsConfiguration: !If\n        - Yes\n        - maxage: 1 # here\n        - a",
			"maxage is not known in a CorsConfiguration"},
		{"no mapping", "CorsConfiguration: https://a.example # here", "a mapping is wanted here"},
		{"an age in words", "CorsConfiguration:\n        maxAge: long # here",
			"a number from -1 to 86400 is wanted here"},
		{"an origin that is a mapping", "CorsConfiguration:\n        allowOrigins: [{a: b}] # here",
			"a string is wanted here"},
		{"another property of the API", "StageName: v1 # here", "StageName of the API Api is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := withAPI(c.properties)
			_, err := samtemplatetest.Parse(t, source, nil)
			samtemplatetest.WantErrorHere(t, source, err, c.want)
		})
	}
}
