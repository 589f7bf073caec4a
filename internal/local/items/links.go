package items

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// link leads from a name that an item has to the items that have it in their keys.
type link struct {
	Name string   `json:"name"`
	In   []string `json:"in"` // the attributes that have the name, those of the key too
	group
}

// group is the first keys of those that belong together.
type group struct {
	Keys []Key `json:"keys"`
	More bool  `json:"more"` // there are others
}

const maxGroup = 10 // keys

func (g *group) add(k Key) {
	g.More = len(g.Keys) == maxGroup
	if !g.More {
		g.Keys = append(g.Keys, k)
	}
}

// links finds the other items that have in a segment of their keys what the item has in its own, or in an attribute.
// Those of its own partition count where an attribute other than its key names them. Next is empty if all of the table
// was read.
func (t table) links(ctx context.Context, key Key, of item) (links []link, next string, err error) {
	named := t.names(of)
	keys := map[string][]Key{} // by name
	next, err = t.read(ctx, reading{keysOnly: true}, func(k Key, _ item) bool {
		has := map[string]bool{}
		for _, segment := range segments(k) {
			if named[segment] != nil && !has[segment] && k != key {
				has[segment] = true
				keys[segment] = append(keys[segment], k)
			}
		}
		return true
	})
	links = []link{} // in JSON, never null
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		l := link{Name: name, In: slices.Sorted(maps.Keys(named[name])), group: group{Keys: []Key{}}}
		attributes := slices.ContainsFunc(l.In, func(in string) bool { return !t.inKey(in) })
		slices.SortStableFunc(keys[name], func(a, b Key) int { // the record itself before what is kept of it
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

// names are what an item may name others by, with the attributes that have it.
func (t table) names(of item) map[string]map[string]bool {
	names := map[string]map[string]bool{}
	add := func(name, attribute string) {
		name = normal(name)
		if isName(name) {
			if names[name] == nil {
				names[name] = map[string]bool{}
			}
			names[name][attribute] = true
		}
	}
	for attribute, value := range of {
		if t.inKey(attribute) {
			for _, segment := range segments(t.keyOf(item{attribute: value})) {
				add(segment, attribute)
			}
			continue
		}
		var any any
		json.Unmarshal(value, &any) // what the database writes is JSON
		texts(any, func(text string) { add(text, attribute) })
	}
	return names
}

// texts calls each with the strings in a JSON value, the names of fields too: DynamoDB writes numbers as strings.
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

// segments are the parts of a key but for the words that it begins with, in their normal form.
func segments(k Key) (all []string) {
	for _, part := range []string{k.PK, k.SK} {
		for segment := range strings.SplitSeq(part, "#") {
			all = append(all, normal(segment))
		}
	}
	return all
}

// normal is a number of an id's length without the zeros that pad it in keys, and any other text as it is.
func normal(text string) string {
	number := strings.TrimLeft(text, "0")
	if strings.Trim(number, "0123456789") == "" && len(number) >= minNumber {
		return number
	}
	return text
}

const (
	minText   = 4  // bytes
	minNumber = 10 // digits
)

// isName tells whether a text is one that an item can be known by: no word of a key, which are in capitals, and neither
// a count nor what is too short to say something.
func isName(text string) bool {
	if strings.Trim(text, "0123456789") == "" {
		return len(text) >= minNumber
	}
	return len(text) >= minText && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != ""
}
