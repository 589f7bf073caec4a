package bench

import "testing"

// BenchmarkColdStart measures each function from the start of its process to its first call of the Runtime API for an
// event, in turns with hello-world and get-item, and in multiples of theirs. ns/op is the mean. cpu-ns is the
// processor's time until then, over all cores, which matters where Lambda gives a function a part of a core. The two
// peers are also compared with themselves: their distance from 1 shows how exact the other multiples are. The size of
// the zip file is reported as well.
func BenchmarkColdStart(b *testing.B) {
	list := programs(b)
	helloZip := list[0].zipSize(b)
	for _, p := range list {
		b.Run("function="+p.name, func(b *testing.B) {
			operations := []func() cost{starting(b, p), starting(b, list[0]), starting(b, list[1])}
			for _, once := range operations {
				once() // the first of all reads the files from the disk
			}
			r := interleave(b, 0, operations...) // one start in each round
			r[0].report(b)
			b.ReportMetric(median(r[1].wall), "hello-ns")
			b.ReportMetric(multiple(r[0].wall, r[1].wall), "x-hello")
			b.ReportMetric(multiple(r[0].wall, r[2].wall), "x-get-item")
			zip := p.zipSize(b)
			b.ReportMetric(zip, "zip-bytes")
			b.ReportMetric(zip/helloZip, "zip-x-hello")
		})
	}
}

// starting returns an operation that starts a program.
func starting(b *testing.B, p program) func() cost {
	return func() cost {
		c, err := p.coldStart()
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
}

// coldStart starts a program, and ends it as soon as it is ready.
func (p program) coldStart() (cost, error) {
	s, wall, err := p.start(nil)
	if err != nil {
		return cost{}, err
	}
	s.stop()
	return cost{wall, s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()}, nil
}
