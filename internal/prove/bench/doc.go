// Package bench measures frontdesk beside what people would use instead. It compares every function's cold start, first
// answer by TLS, zip file and warm requests with those of a hello world and of a function that reads one item; MIME
// writing with go-mail and the bare base64 encoder; and whole mails with a function of go-mail and the SDK. It also
// measures what requests consume, how that grows with a portal, and what many simultaneous clients lose to contention.
// The report shows goals, functions and the bill; benchstat shows all of it.
//
// It is a module of its own, so that the functions never depend on what it compares them with.
//
//	make bench         # measures everything into .local/bench/results.txt, and reports it
//	make bench/page    # puts that into internal/docs/costs.md, and the results here
//	benchstat results.txt ../../../.local/bench/results.txt
//	benchstat -filter .name:ColdStart -row /function -col .file ../../../.local/bench/results.txt
//
// limits.go has the limits for the figures. No test fails because of a time, which depends on the machine as much as
// on the code. Tests check what does not depend on the machine: go -C internal/prove/bench test ./...
package bench
