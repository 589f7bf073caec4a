// Command hello-world is the least that a function in Go can be: what the others' starts are measured by.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(func(context.Context) (string, error) { return "Hello, world!", nil })
}
