package mail

import (
	"fmt"
	"strings"
)

// maxListed bounds the faults, and other items, that one answer lists. The rest are counted.
const maxListed = 20

// listSome lists the first [maxListed] of some items, and counts the rest. Cut says that there may be more items.
func listSome(items []string, cut bool) string {
	listed := list(items[:min(len(items), maxListed)])
	more := len(items) - maxListed
	switch {
	case cut:
		return listed + fmt.Sprintf(" and at least %d more", more)
	case more > 0:
		return listed + fmt.Sprintf(" and %d more", more)
	}
	return listed
}

// list joins words with commas.
func list[T ~string](items []T) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = string(item)
	}
	return strings.Join(words, ", ")
}
