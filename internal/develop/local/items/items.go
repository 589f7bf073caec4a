// Package items shows the items of the stack's table, as "Explore items" does in DynamoDB's console: the kinds of item
// with their counts, the items of a kind, and one item with its related items. It does not know what items mean: it
// finds kinds and links by the shape of keys (see [Key.Kind] and links.go). It only reads, without IAM, and shows the
// first table of a template with several.
package items

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/template"

	"github.com/aws/aws-sdk-go-v2/aws"
)

const (
	pageItems  = 50    // items per answer
	maxRead    = 10000 // how many items are read for an answer, whether they match or not
	readAtOnce = 1000
)

// Items answers requests below /_local/table:
//
//   - GET /_local/table: the kinds of item, with counts;
//   - GET /_local/table/items: at most 50 items of ?kind or of ?partition, or of all, whose keys contain ?q;
//   - GET /_local/table/item: the item with the keys ?pk and ?sk, in DynamoDB's JSON, with links to others.
//
// Each answer reads at most 10,000 items. If there are more, it has next, and a request with ?after continues there.
type Items struct {
	mux    *http.ServeMux
	tables []template.Table
	table
}

// New returns the pages for the first of the tables, in the database at a base URL.
func New(database string, tables []template.Table) *Items {
	i := &Items{mux: http.NewServeMux(), tables: tables}
	if len(tables) > 0 {
		i.table = open(database, tables[0])
	}
	i.mux.Handle("GET /_local/table", answering(i.kinds))
	i.mux.Handle("GET /_local/table/items", answering(i.list))
	i.mux.Handle("GET /_local/table/item", answering(i.show))
	return i
}

func (i *Items) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(i.tables) == 0 {
		httpserver.WriteError(w, http.StatusNotFound, "the template has no table")
		return
	}
	i.mux.ServeHTTP(w, r)
}

var (
	// Each error but the first begins with the parameter that has to change.
	errNotFound = errors.New("there is no such item")
	errCursor   = errors.New("after: it must be the next of another answer")
	errWhich    = errors.New("kind, partition: give one of them, or none")
	errNoKey    = errors.New("pk: it must be the value of a partition key")
)

// answering answers with the result of f as JSON, or with its error.
func answering(f func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, err := f(r)
		switch {
		case err == nil:
			httpserver.WriteJSON(w, value)
		case errors.Is(err, errNotFound):
			httpserver.WriteError(w, http.StatusNotFound, err.Error())
		case errors.Is(err, errCursor), errors.Is(err, errWhich), errors.Is(err, errNoKey):
			httpserver.WriteError(w, http.StatusBadRequest, err.Error())
		// Everything else comes from the database, which may be gone.
		default:
			httpserver.WriteError(w, http.StatusBadGateway, "the database: "+err.Error())
		}
	})
}

// kindCount is a kind of item, and how many of its items were read.
type kindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// kinds counts the items by kind. It reads only their keys.
func (i *Items) kinds(r *http.Request) (any, error) {
	counts := map[string]int{}
	next, err := i.read(r.Context(), reading{after: r.FormValue("after"), keysOnly: true}, func(k Key, _ item) bool {
		counts[k.Kind()]++
		return true
	})
	// Never null in JSON.
	kinds := []kindCount{}
	for kind, count := range counts {
		kinds = append(kinds, kindCount{kind, count})
	}
	// The order of a map changes with every read; the screen would jump.
	slices.SortFunc(kinds, func(a, b kindCount) int { return cmp.Compare(a.Kind, b.Kind) })
	type overview struct {
		Table        string      `json:"table"`
		PartitionKey string      `json:"partition_key"`
		SortKey      string      `json:"sort_key"` // empty if there is none
		TTL          string      `json:"ttl"`      // the attribute with the time to live, in seconds since 1970
		Kinds        []kindCount `json:"kinds"`
		Next         string      `json:"next,omitempty"`
	}
	return overview{
		Table:        i.name,
		PartitionKey: i.partition.name,
		SortKey:      i.sort.name,
		TTL:          i.ttl,
		Kinds:        kinds,
		Next:         next,
	}, err
}

// list returns a page of items. When the page is full, it continues after its last item, not after the last one read.
func (i *Items) list(r *http.Request) (any, error) {
	kind, partition, q := r.FormValue("kind"), r.FormValue("partition"), strings.ToLower(r.FormValue("q"))
	if kind != "" && partition != "" {
		return nil, errWhich
	}
	found, last := []item{}, Key{}
	full := false
	next, err := i.read(r.Context(), reading{after: r.FormValue("after"), partition: partition},
		func(k Key, one item) bool {
			// The search compares keys in lower case. The line feed between them keeps q from matching across both.
			if kind != "" && k.Kind() != kind || !strings.Contains(strings.ToLower(k.PK+"\n"+k.SK), q) {
				return true
			}
			// One item more than fits shows that there is another page.
			full = len(found) == pageItems
			if full {
				return false
			}
			found, last = append(found, one), k
			return true
		})
	if full {
		next = i.cursor(last)
	}
	return struct {
		Items []item `json:"items"`
		Next  string `json:"next,omitempty"`
	}{found, next}, err
}

// show returns one item with its siblings and links. To find links it searches the keys of the whole table.
func (i *Items) show(r *http.Request) (any, error) {
	key := Key{r.FormValue("pk"), r.FormValue("sk")}
	if key.PK == "" {
		return nil, errNoKey
	}
	found, err := i.get(r.Context(), key)
	if err != nil {
		return nil, err
	}
	siblings, err := i.siblings(r.Context(), key)
	if err != nil {
		return nil, err
	}
	links, next, err := i.links(r.Context(), key, found)
	type view struct {
		Kind     string `json:"kind"`
		Item     item   `json:"item"`
		Siblings group  `json:"siblings"` // other items in its partition
		Links    []link `json:"links"`
		// Complete reports whether the whole table was searched for links.
		Complete bool `json:"complete"`
	}
	return view{Kind: key.Kind(), Item: found, Siblings: siblings, Links: links, Complete: next == ""}, err
}

// siblings returns the other items of a partition.
func (i *Items) siblings(ctx context.Context, key Key) (g group, err error) {
	g.Keys = []Key{}
	_, err = i.read(ctx, reading{partition: key.PK, keysOnly: true}, func(k Key, _ item) bool {
		if k != key {
			g.add(k)
		}
		// One key more than fits is enough to know that there are more.
		return !g.More
	})
	return g, err
}

// item is an item in DynamoDB's JSON: by attribute, and then by the type of its value.
type item map[string]json.RawMessage

// keyAttribute is an attribute of the primary key, with its type.
type keyAttribute struct{ name, kind string } // S, N or B

// keyOf finds a key's attribute in the table's definitions.
func keyOf(t template.Table, name string) keyAttribute {
	for _, definition := range t.Input.AttributeDefinitions {
		if aws.ToString(definition.AttributeName) == name {
			return keyAttribute{name, string(definition.AttributeType)}
		}
	}
	return keyAttribute{}
}
