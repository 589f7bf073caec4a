package items

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// link leads from a name in an item to the items whose keys contain that name.
type link struct {
	Name string   `json:"name"`
	In   []string `json:"in"` // attributes that contain the name, including those of the key
	group
}

// group is the first keys of a set.
type group struct {
	Keys []Key `json:"keys"`
	More bool  `json:"more"` // there are more keys
}

// maxGroup is how many keys of a group are shown. The page links to a list with all of them.
const maxGroup = 10 // keys

// add adds a key while there is room, and notes that there are more.
func (g *group) add(k Key) {
	g.More = len(g.Keys) == maxGroup
	if !g.More {
		g.Keys = append(g.Keys, k)
	}
}

// links finds other items that share a name with the item: a segment of their keys occurs in a segment of its keys or
// in one of its attributes. Items of the same partition count only if an attribute outside the key names them. Next is
// empty if the whole table was read.
func (t table) links(ctx context.Context, key Key, source item) (links []link, next string, err error) {
	named := t.names(source)
	keys := map[string][]Key{} // by name
	next, err = t.read(ctx, reading{keysOnly: true}, func(k Key, _ item) bool {
		// A key that contains a name twice is still one link.
		has := map[string]bool{}
		for _, segment := range segments(k) {
			if named[segment] != nil && !has[segment] && k != key {
				has[segment] = true
				keys[segment] = append(keys[segment], k)
			}
		}
		return true
	})
	links = []link{} // never null in JSON
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		l := link{Name: name, In: slices.Sorted(maps.Keys(named[name])), group: group{Keys: []Key{}}}
		// The keys of the same partition are shown as siblings anyway. They count as links only if an attribute
		// names them.
		attributes := slices.ContainsFunc(l.In, func(in string) bool { return !t.inKey(in) })
		slices.SortStableFunc(keys[name], func(a, b Key) int { // a record comes before the items that belong to it
			return cmp.Compare(len(a.PK)+len(a.SK), len(b.PK)+len(b.SK))
		})
		for _, k := range keys[name] {
			if k.PK != key.PK || attributes {
				l.add(k)
			}
		}
		if len(l.Keys) > 0 {
			links = append(links, l)
		}
	}
	return links, next, err
}

// names returns the names in an item, each with the attributes that contain it.
func (t table) names(source item) map[string]map[string]bool {
	names := map[string]map[string]bool{}
	add := func(name, attribute string) {
		// In the same form as the segments of keys, to which it is compared.
		name = normal(name)
		if isName(name) {
			if names[name] == nil {
				names[name] = map[string]bool{}
			}
			names[name][attribute] = true
		}
	}
	for attribute, value := range source {
		if t.inKey(attribute) {
			for _, segment := range segments(t.keyOf(item{attribute: value})) {
				add(segment, attribute)
			}
			continue
		}
		var any any
		json.Unmarshal(value, &any) // the database writes valid JSON
		texts(any, func(text string) { add(text, attribute) })
	}
	return names
}

// texts calls each for every string in a JSON value, including names of fields. DynamoDB writes numbers as strings.
func texts(value any, each func(string)) {
	switch v := value.(type) {
	case string:
		each(v)
	case []any:
		for _, inner := range v {
			texts(inner, each)
		}
	case map[string]any:
		for name, inner := range v {
			each(name)
			texts(inner, each)
		}
	}
}

// segments returns the parts of a key between "#", in normal form.
func segments(k Key) (all []string) {
	for _, part := range []string{k.PK, k.SK} {
		for segment := range strings.SplitSeq(part, "#") {
			all = append(all, normal(segment))
		}
	}
	return all
}

// normal removes the zeros that pad a number in keys, if the number is long enough for an id. Other texts
// stay unchanged.
func normal(text string) string {
	number := strings.TrimLeft(text, "0")
	if strings.Trim(number, "0123456789") == "" && len(number) >= minNumber {
		return number
	}
	return text
}

const (
	// Shorter texts and numbers occur in many items by chance, and would link what has nothing in common.
	minText   = 4  // bytes
	minNumber = 10 // digits
)

// isName reports whether a text could be an identifier. It rejects the words of keys, which are in capitals, and counts
// and texts that are too short to identify anything.
func isName(text string) bool {
	if strings.Trim(text, "0123456789") == "" {
		return len(text) >= minNumber
	}
	return len(text) >= minText && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != ""
}
