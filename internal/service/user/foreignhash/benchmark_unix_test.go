//go:build unix

package foreignhash_test

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkMatches measures how long it takes to refuse a password, for the costliest hashes that are accepted, for
// usual ones, and for one with the cost of ours. It reports the processor's time, which counts on Lambda and which
// other programs on the machine hardly change.
func BenchmarkMatches(b *testing.B) {
	for _, c := range []struct{ name, by string }{
		{"as ours", "PHP, 19 MiB and 2 passes"},
		{"bcrypt of cost 10", "PHP"},
		{"bcrypt of cost 12", "PHP, cost 12"},
		{"bcrypt_sha256 of cost 12", "Django"},
		{"pbkdf2_sha256 of 260000 rounds", "Django's make_password"},
		{"pbkdf2_sha256 of 1500000 rounds", "Django, 1,500,000 rounds"},
		{"pbkdf2_sha512 of 500000 rounds", "Kratos, 500,000 rounds"},
		{"argon2id of 64 MiB and 3 passes", "PHP, 64 MiB and 3 passes"},
		{"argon2id of 64 MiB, 3 passes and 4 threads", "argon2-cffi, RFC 9106"},
		{"argon2id of 128 MiB and 1 pass", "PHP, 128 MiB and 1 pass, as Kratos"},
		{"argon2id of 8 KiB and 24576 passes", "PHP, 8 KiB and 24576 passes"},
		{"scrypt of 32 MiB", "Werkzeug"},
		{"scrypt of 64 MiB", "Werkzeug, 64 MiB"},
		{"firescrypt of 16 MiB", "Firebase's README"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for _, m := range readMade(b) {
				if m.by == c.by {
					measure(b, m)
				}
			}
		})
	}
}

func measure(b *testing.B, m made) {
	h := parse(b, m.hash)
	if !h.Matches(m.password) {
		b.Fatal("it does not match")
	}
	began := processorTime(b)
	for b.Loop() {
		if h.Matches("wrong password") {
			b.Fatal("it matches")
		}
	}
	b.ReportMetric(float64((processorTime(b)-began).Milliseconds())/float64(b.N), "cpu-ms/op")
}

// processorTime returns the processor time that the process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
