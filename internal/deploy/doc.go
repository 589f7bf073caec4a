// Package deploy holds template.yaml to its style and to what a deployment needs: policies that reach nothing else, and
// alarms that see what goes wrong. It has tests alone.
package deploy
