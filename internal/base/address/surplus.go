package address

import (
	"fmt"
	"strings"
)

// Surplus is the fault of a text that has a good address and something beside it.
type Surplus struct {
	Address string   // as it was written
	Name    string   // the display name before it, without quotation marks; "" for none
	Beside  []string // what has to go
}

func (s *Surplus) Error() string {
	return fmt.Sprintf("give %q alone, without %s", s.Address, strings.Join(s.Beside, " and "))
}

// peel takes off what people and programs write beside an address. It is not found if nothing comes off, or if no good
// address is left.
func peel(s string) (found *Surplus, ok bool) {
	found = &Surplus{Address: strings.TrimSpace(s)}
	if found.Address != s {
		found.Beside = append(found.Beside, "white space around it")
	}
	if inside, bracketed := strings.CutSuffix(found.Address, ">"); bracketed {
		name, address, _ := strings.Cut(inside, "<")
		found.Name, found.Address = strings.Trim(strings.TrimSpace(name), `"'`), strings.TrimSpace(address)
		if found.Name == "" {
			found.Beside = append(found.Beside, "angle brackets")
		} else {
			found.Beside = append(found.Beside, "the name")
		}
	}
	const scheme = "mailto:"
	if len(found.Address) > len(scheme) && strings.EqualFold(found.Address[:len(scheme)], scheme) {
		found.Address, _, _ = strings.Cut(found.Address[len(scheme):], "?")
		found.Beside = append(found.Beside, scheme)
	}
	if address, dotted := strings.CutSuffix(found.Address, "."); dotted {
		found.Address = address
		found.Beside = append(found.Beside, "the dot at its end")
	}
	if len(found.Beside) == 0 {
		return nil, false
	}
	_, err := bare(found.Address)
	return found, err == nil
}
