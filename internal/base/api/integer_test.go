package api_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"
)

// TestIntegersAreReadHoweverTheyAreWritten: JSON has one type of number, and some programs write each one with a
// fraction or an exponent.
func TestIntegersAreReadHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	const (
		noInteger = "must be an integer"
		large     = "must be an integer of at most 9007199254740991"
		small     = "must be an integer of at least -9007199254740991"
	)
	for name, c := range map[string]struct {
		number string
		want   int64
		err    string
	}{
		"an integer":                     {"7", 7, ""},
		"a negative one":                 {"-7", -7, ""},
		"zero":                           {"0", 0, ""},
		"negative zero":                  {"-0.0e-5", 0, ""},
		"a fraction of zero":             {"1.0", 1, ""},
		"a longer fraction of zero":      {"20.000", 20, ""},
		"an exponent":                    {"1e3", 1000, ""},
		"a capital exponent with a sign": {"12E+2", 1200, ""},
		"a fraction with an exponent":    {"-1.25e2", -125, ""},
		"a negative exponent":            {"1500e-2", 15, ""},
		"the largest":                    {"9007199254740991", api.MaxInteger, ""},
		"the smallest":                   {"-9007199254740991.0", -api.MaxInteger, ""},
		"the largest with an exponent":   {"900719925474099.1e1", api.MaxInteger, ""},
		"many zeros, and as many places": {"1" + strings.Repeat("0", 400) + "e-400", 1, ""},
		"zero with a huge exponent":      {"0e99999999999999999999", 0, ""},

		"one more than the largest":          {"9007199254740992", 0, large},
		"one less than the smallest":         {"-9007199254740992", 0, small},
		"an exponent that is too large":      {"1e16", 0, large},
		"an exponent of 64 bits":             {"1e9223372036854775807", 0, large},
		"an exponent beyond 64 bits":         {"1e99999999999999999999", 0, large},
		"a fraction":                         {"1.5", 0, noInteger},
		"a fraction by exponent":             {"15e-1", 0, noInteger},
		"a fraction that a float64 loses":    {"9007199254740991.25", 0, noInteger},
		"a negative exponent of 64 bits":     {"1e-9223372036854775808", 0, noInteger},
		"a negative exponent beyond 64 bits": {"1e-99999999999999999999", 0, noInteger},
		"a string":                           {`"1"`, 0, noInteger},
		"true":                               {"true", 0, noInteger},
		"an array":                           {"[1]", 0, noInteger},
		"null":                               {"null", 0, noInteger},
	} {
		got, err := api.ParseInteger(json.RawMessage(c.number))
		message := ""
		if err != nil {
			message = err.Error()
		}
		expect.Equal(t, got, c.want, name)
		expect.Equal(t, message, c.err, name+": error")
	}
}

// FuzzParseInteger compares every short number with exact arithmetic.
func FuzzParseInteger(f *testing.F) {
	for _, number := range []string{"1.0", "-1e3", "1.5", "9007199254740992", "0.1e1", "100e-2", "1e-400", "-0"} {
		f.Add(number)
	}
	f.Fuzz(func(t *testing.T, number string) {
		if !json.Valid([]byte(number)) || number != strings.TrimSpace(number) || len(number) > 100 {
			return
		}
		if _, exponent, _ := strings.Cut(strings.ToLower(number), "e"); len(exponent) > 4 {
			return // big.Rat would write out its zeros
		}
		exact, isNumber := new(big.Rat).SetString(number)
		isNumber = isNumber && strings.Trim(number[:1], "-0123456789") == ""
		whole := isNumber && exact.IsInt() && exact.Num().CmpAbs(big.NewInt(api.MaxInteger)) <= 0
		got, err := api.ParseInteger(json.RawMessage(number))
		expect.Equal(t, err == nil, whole, number+" is an integer")
		if whole {
			expect.Equal(t, got, exact.Num().Int64(), number)
		}
	})
}
