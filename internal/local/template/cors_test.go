package template_test

import (
	"reflect"
	"testing"

	"frontdesk/internal/local/template"
	"frontdesk/internal/local/template/templatetest"
)

// withAPI returns a template with one API that has these properties.
func withAPI(properties string) string {
	return "Parameters: {Origins: {Type: String, Default: 'https://a.example,https://b.example'}}\n" +
		"Conditions: {Yes: !Equals [a, a], No: !Equals [a, b]}\n" +
		"Resources:\n  Api:\n    Type: AWS::Serverless::HttpApi\n    Properties:\n      " + properties + "\n"
}

// TestCORSIsReadFromTheTemplate shows both spellings of the names, and where the configuration may stand.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
func TestCORSIsReadFromTheTemplate(t *testing.T) {
	full := &template.CORS{
		AllowOrigins: []string{"https://a.example", "https://b.example"}, AllowMethods: []string{"GET", "POST"},
		AllowHeaders: []string{"x-key"}, ExposeHeaders: []string{"retry-after"}, MaxAge: 600, AllowCredentials: true,
	}
	for _, c := range []struct {
		name, source string
		want         *template.CORS
	}{
		{"none", withAPI("StageName: v1"), nil},
		{"SAM's names", withAPI("CorsConfiguration: {AllowOrigins: [https://a.example, https://b.example], " +
			"AllowMethods: [GET, POST], AllowHeaders: [x-key], ExposeHeaders: [retry-after], MaxAge: 600, " +
			"AllowCredentials: true}"), full},
		// SAM passes an intrinsic on unchanged to x-amazon-apigateway-cors, which has OpenAPI's names.
		{"OpenAPI's names, in an intrinsic", withAPI("CorsConfiguration: !If [Yes, {allowOrigins: !Split [',', " +
			"!Ref Origins], allowMethods: [GET, POST], allowHeaders: [x-key], exposeHeaders: [retry-after], " +
			"maxAge: 600, allowCredentials: true}, !Ref AWS::NoValue]"), full},
		{"an intrinsic that is AWS::NoValue",
			withAPI("CorsConfiguration: !If [No, {allowOrigins: [a]}, !Ref AWS::NoValue]"), nil},
		{"that of Globals", "Globals: {HttpApi: {CorsConfiguration: {MaxAge: 5}}}\n" + withAPI("StageName: v1"),
			&template.CORS{MaxAge: 5}},
		{"the API's own over that of Globals",
			"Globals: {HttpApi: {CorsConfiguration: {MaxAge: 5}}}\n" + withAPI("CorsConfiguration: {MaxAge: 6}"),
			&template.CORS{MaxAge: 6}},
		{"that of Globals, for the API that SAM makes",
			"Globals: {HttpApi: {CorsConfiguration: {MaxAge: 5}}}\nResources: {Queue: {Type: AWS::SQS::Queue}}\n",
			&template.CORS{MaxAge: 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := templatetest.MustParse(t, c.source).CORS; !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestCorsConfigurationMistakesNameTheirLine shows that a misspelt name is an error, and not a setting without effect.
// With AllowOrigin in place of AllowOrigins, every browser would refuse the answers, and nothing would say why.
func TestCorsConfigurationMistakesNameTheirLine(t *testing.T) {
	for _, c := range []struct{ name, properties, want string }{
		{"an unknown name", "CorsConfiguration:\n        AllowOrigin: [a] # here",
			"AllowOrigin is not known in a CorsConfiguration"},
		{"an unknown name in an intrinsic",
			"CorsConfiguration: !If\n        - Yes\n        - maxage: 1 # here\n        - a",
			"maxage is not known in a CorsConfiguration"},
		{"no mapping", "CorsConfiguration: https://a.example # here", "a mapping is wanted here"},
		{"an age in words", "CorsConfiguration:\n        MaxAge: long # here",
			"a number from -1 to 86400 is wanted here"},
		{"an origin that is a mapping", "CorsConfiguration:\n        AllowOrigins: [{a: b}] # here",
			"a string is wanted here"},
		{"an empty name", "CorsConfiguration:\n        '': [a] # here", " is not known in a CorsConfiguration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := withAPI(c.properties)
			_, err := templatetest.Parse(t, source, nil)
			templatetest.WantErrorHere(t, source, err, c.want)
		})
	}
}
