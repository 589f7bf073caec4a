// Package deployment tests template.yaml: its style, policies that reach nothing else, and alarms that see what goes
// wrong. It has only tests.
package deployment
