// Command docs is the function behind GET /openapi.json, /openapi-3.0.json, /docs and what that page loads.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/docs"
)

func main() { api.Start(docs.Function()) }
