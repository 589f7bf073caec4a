// Package bench measures frontdesk beside what people would use in its place: MIME writing beside go-mail
// and the bare base64 encoder, and every function's cold start and zip file beside a hello world.
//
// It is a module of its own, so that what it compares with is never a dependency of the functions.
//
//	make bench | tee new.txt
//	benchstat -filter .name:MIME -row /message -col /impl new.txt
//	benchstat -filter .name:ColdStart -row /function new.txt
//	benchstat old.txt new.txt
//
// What a figure is wanted to be is printed beside it. It fails nothing: a time is the machine's as much as
// the code's. What does not depend on the machine is tested: `go -C internal/bench test`.
package bench
