// Package bootstraps tests what only processes show: the functions as they are deployed, each a program of its own,
// behind the local stack. All other tests of what the functions do are simulated.
package bootstraps
