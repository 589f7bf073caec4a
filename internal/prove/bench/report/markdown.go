package main

import (
	"fmt"
	"strconv"
	"strings"
)

// table is a Markdown table. All columns but the first are aligned to the right.
type table struct{ rows [][]string }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// String writes the table. Its first row is the head.
func (t *table) String() string {
	var out strings.Builder
	for i, cells := range t.rows {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			fmt.Fprintf(&out, "|---|%s\n", strings.Repeat("--:|", len(cells)-1))
		}
	}
	return out.String()
}

// none stands for a figure that was not measured.
const none = "–"

// significant writes a figure with two significant digits: a benchmark on another machine tells no more.
func significant(v float64) string {
	scientific := strconv.FormatFloat(v, 'e', 1, 64) // 1.2e+03
	_, exponent, _ := strings.Cut(scientific, "e")
	rounded, _ := strconv.ParseFloat(scientific, 64)
	digits, _ := strconv.Atoi(exponent)
	return strconv.FormatFloat(rounded, 'f', max(0, 1-digits), 64)
}

// milliseconds writes a time, given in seconds.
func milliseconds(seconds float64) string { return significant(seconds*1e3) + " ms" }

// percent writes a share, given as a part of 1.
func percent(v float64) string {
	if v == 0 {
		return "0 %"
	}
	return significant(v*100) + " %"
}

// multiple writes a ratio.
func multiple(v float64) string {
	if v >= 10 {
		return significant(v) + "x"
	}
	return strconv.FormatFloat(v, 'f', 2, 64) + "x"
}

// megabytes writes a size, given in bytes; 1 MB is 1,000,000 bytes.
func megabytes(bytes float64) string { return significant(bytes/1e6) + " MB" }

// count writes a number, which need not be whole if it is a mean.
func count(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
