package api

import (
	"encoding/json"
	"strconv"
	"strings"
)

// MaxInteger is the largest integer of a request, and -MaxInteger the smallest: JSON has no larger one that every
// parser reads exactly (RFC 7493 section 2.2).
const MaxInteger = 1<<53 - 1

// integer reads a number without a fraction, however it is written: 1000, 1000.0 and 1e3 are the same integer (JSON
// Schema 2020-12, Core section 6.1).
type integer int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *integer) UnmarshalJSON(number []byte) error {
	value, err := ParseInteger(number)
	*n = integer(value)
	return err
}

// These errors continue the name of a field.
const (
	errNoInteger    = wrongValue("must be an integer")
	errLargeInteger = wrongValue("must be an integer of at most 9007199254740991")
	errSmallInteger = wrongValue("must be an integer of at least -9007199254740991")
)

// ParseInteger reads a JSON value that must be an integer, up to [MaxInteger] on either side of zero. The text of the
// error continues the name of the field. The work grows with the text, not with the number: 1e999999999 is read no
// further.
func ParseInteger(value json.RawMessage) (int64, error) {
	digits, negative := strings.CutPrefix(string(value), "-")
	n, err := natural(digits)
	switch {
	case err == errLargeInteger && negative:
		return 0, errSmallInteger
	case negative:
		return -n, err
	}
	return n, err
}

// natural reads a number without a sign.
func natural(digits string) (int64, error) {
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return 0, errNoInteger
	}
	mantissa, exponent, scaled := strings.Cut(strings.Replace(digits, "E", "e", 1), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	significant := strings.TrimRight(whole+fraction, "0")
	zeros := len(whole) - len(significant) // those that follow the significant digits; below zero it is no integer
	significant = strings.TrimLeft(significant, "0")
	if significant == "" {
		return 0, nil
	}
	if scaled {
		shift, err := strconv.ParseInt(exponent, 10, 32)
		switch {
		case err != nil && strings.HasPrefix(exponent, "-"):
			return 0, errNoInteger
		case err != nil:
			return 0, errLargeInteger
		}
		zeros += int(shift)
	}
	const most = len("9007199254740991")
	switch {
	case zeros < 0:
		return 0, errNoInteger
	case zeros > most || len(significant)+zeros > most:
		return 0, errLargeInteger
	}
	n, err := strconv.ParseInt(significant+strings.Repeat("0", zeros), 10, 64)
	if err != nil || n > MaxInteger {
		return 0, errLargeInteger
	}
	return n, nil
}
