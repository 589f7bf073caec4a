//go:build unix

package foreignhash_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/service/user/foreignhash"
)

// BenchmarkMatches measures how long it takes to refuse a password: for usual hashes, and for the costliest of each
// kind that are accepted, which are those at a bound. It reports the processor's time, which counts on Lambda and which
// other programs on the machine hardly change, and how many times that of ours it is. The pages of security and of
// users promise the largest.
func BenchmarkMatches(b *testing.B) {
	byMaker := map[string]foreignhash.Hash{}
	for _, m := range readMade(b) {
		byMaker[m.by] = parse(b, m.hash)
	}
	key64 := strings.Repeat("A", 85) + "g=="
	atBound := func(text string) foreignhash.Hash { return parse(b, text) }
	ours := refuse(b, byMaker["PHP, 19 MiB and 2 passes"], 10)
	for _, c := range []struct {
		name string
		hash foreignhash.Hash
	}{
		{"as ours", byMaker["PHP, 19 MiB and 2 passes"]},
		{"bcrypt of cost 10", byMaker["PHP"]},
		{"bcrypt of cost 12", byMaker["PHP, cost 12"]},
		{"bcrypt_sha256 of cost 12", byMaker["Django"]},
		{"pbkdf2_sha256 of 260000 rounds", byMaker["Django's make_password"]},
		{"pbkdf2_sha256 of 1500000 rounds", byMaker["Django, 1,500,000 rounds"]},
		{"pbkdf2_sha256 of 750000 rounds and 64 bytes", atBound("pbkdf2_sha256$750000$salt-of-8$" + key64)},
		{"pbkdf2_sha512 of 500000 rounds", byMaker["Kratos, 500,000 rounds"]},
		{"argon2id of 64 MiB and 3 passes", byMaker["PHP, 64 MiB and 3 passes"]},
		{"argon2id of 64 MiB, 3 passes and 4 threads", byMaker["argon2-cffi, RFC 9106"]},
		{"argon2id of 128 MiB and 1 pass", byMaker["PHP, 128 MiB and 1 pass, as Kratos"]},
		{"argon2id of 8 KiB and 24576 passes", byMaker["PHP, 8 KiB and 24576 passes"]},
		{"argon2id of 96 passes and 255 threads",
			atBound("$argon2id$v=19$m=2040,t=96,p=255$c2FsdC1vZi04$" + strings.Repeat("A", 86))},
		{"scrypt of 32 MiB", byMaker["Werkzeug"]},
		{"scrypt of 64 MiB", byMaker["Werkzeug, 64 MiB"]},
		{"scrypt of 64 MiB in the smallest blocks", atBound(werkzeug("524288:1:1"))},
		{"scrypt of 4 MiB in the largest blocks and 16 passes", atBound(werkzeug("1024:32:16"))},
		{"firescrypt of 16 MiB", byMaker["Firebase's README"]},
	} {
		b.Run(c.name, func(b *testing.B) {
			spent := refuse(b, c.hash, b.N)
			b.ReportMetric(float64(spent.Microseconds())/1000, "cpu-ms/op")
			b.ReportMetric(float64(spent)/float64(ours), "times-ours")
		})
	}
}

// refuse returns the processor's time for refusing a password.
func refuse(b *testing.B, h foreignhash.Hash, times int) time.Duration {
	began := processorTime(b)
	for range times {
		if h.Matches("wrong password") {
			b.Fatal("it matches")
		}
	}
	return (processorTime(b) - began) / time.Duration(times)
}

// processorTime returns the processor time that the process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
