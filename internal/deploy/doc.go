// Package deploy holds template.yaml to what a deployment needs: that it stays short, and that its alarms see what goes
// wrong. It has tests alone.
package deploy
