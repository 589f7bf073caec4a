// Package bench measures frontdesk beside what people would use in its place: every function's cold start, first answer
// by TLS, zip file and warm requests beside a hello world and a function that reads one item, MIME writing beside
// go-mail and the bare base64 encoder, and whole mails beside a function of go-mail and the SDK. It measures what
// requests consume as well, how they grow with a portal, and what many clients at once lose to contention.
//
// It is a module of its own, so that what it compares with is never a dependency of the functions.
//
//	make bench      # measures everything into .local/bench/results.txt, and reports it
//	make numbers    # puts that into README.md beside this file, and the results here
//	benchstat results.txt ../../.local/bench/results.txt
//	benchstat -filter .name:ColdStart -row /function -col .file ../../.local/bench/results.txt
//
// What is wanted of the figures is in limits.go. A time fails no test: it is the machine's as much as the code's. What
// does not depend on the machine is tested: go -C internal/bench test ./...
package bench
