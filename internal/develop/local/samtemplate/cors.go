package samtemplate

import (
	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// CORS is the CorsConfiguration of an API. It says what pages of other origins may do with the API in a browser.
type CORS struct {
	AllowOrigins, AllowMethods, AllowHeaders, ExposeHeaders []string

	MaxAge int // seconds for which a browser may keep the answer to a preflight; 0 leaves it to the browser
}

// cors reads CorsConfiguration, or returns nil if there is none. Its names are those of OpenAPI, because SAM passes an
// intrinsic on unchanged, to x-amazon-apigateway-cors.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
func (s *scope) cors(properties *yaml.Node) *CORS {
	n := s.property(properties, "CorsConfiguration")
	if n == nil {
		return nil
	}
	c := new(CORS)
	for key, value := range document.Pairs(must(s.Mapping(n))) {
		switch key.Value {
		case "allowOrigins":
			c.AllowOrigins = must(s.Texts(value))
		case "allowMethods":
			c.AllowMethods = must(s.Texts(value))
		case "allowHeaders":
			c.AllowHeaders = must(s.Texts(value))
		case "exposeHeaders":
			c.ExposeHeaders = must(s.Texts(value))
		case "maxAge":
			c.MaxAge = must(s.Number(value, -1, 86400))
		default:
			panic(s.fail(key, "%s is not known in a CorsConfiguration", key.Value))
		}
	}
	return c
}
