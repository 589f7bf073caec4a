// Command docs is the function behind GET /openapi.json, /openapi-3.0.json, /docs and what that page loads.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/docs"
)

func main() { api.Main(api.ServeAlone(docs.Function)) }
