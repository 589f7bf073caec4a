package contracttest

import (
	"errors"
	"regexp"
	"strings"
)

// ReservedHeaderFields returns the header fields that the contract reserves, in its order. A * in a name stands for any
// further letters.
func ReservedHeaderFields() (names []string, err error) {
	contract, err := Load()
	if err != nil {
		return nil, err
	}
	_, list, _ := strings.Cut(contract.Components.Schemas["HeaderFields"].Value.Description, "Reserved, ")
	list, _, _ = strings.Cut(list, ": ")
	for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		names = append(names, found[1])
	}
	if len(names) < 20 {
		return nil, errors.New("the contract's HeaderFields has no list of reserved fields")
	}
	return names, nil
}
