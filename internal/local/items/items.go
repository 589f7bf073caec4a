// Package items shows the items of the stack's table, as Explore items does in DynamoDB's own console: the kinds of
// items with their counts, the items of a kind, and one item with those that it has to do with. It knows nothing of
// what an item means: kinds and links are found by the shape of keys (see [Key.Kind] and links.go). It reads only, past
// IAM, and of a template with several tables the first one.
package items

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/local/httpbody"
	"frontdesk/internal/local/template"

	"github.com/aws/aws-sdk-go-v2/aws"
)

const (
	pageItems  = 50    // of an answer
	maxRead    = 10000 // items of the table for an answer, found or not
	readAtOnce = 1000
)

// Items answers under /_local/table:
//
//   - GET /_local/table: the kinds, of as many items as one answer reads;
//   - GET /_local/table/items: those of ?kind or ?partition, or all, whose keys have ?q in them, 50 at most;
//   - GET /_local/table/item: the one with the keys ?pk and ?sk, in DynamoDB's JSON, with links to others.
//
// Where there is more, an answer has next, and ?after continues with it.
type Items struct {
	mux    *http.ServeMux
	tables []template.Table
	table
}

// New shows the first of the tables, in the database at a base URL.
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
		httpbody.WriteError(w, http.StatusNotFound, "the template has no table")
		return
	}
	i.mux.ServeHTTP(w, r)
}

var (
	errNotFound = errors.New("there is no such item")
	errCursor   = errors.New("after: it must be the next of another answer")
	errWhich    = errors.New("kind, partition: give one of them, or none")
	errNoKey    = errors.New("pk: it must be the value of a partition key")
)

// answering answers with what f gives, in JSON.
func answering(f func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, err := f(r)
		switch {
		case err == nil:
			httpbody.WriteJSON(w, value)
		case errors.Is(err, errNotFound):
			httpbody.WriteError(w, http.StatusNotFound, err.Error())
		case errors.Is(err, errCursor), errors.Is(err, errWhich), errors.Is(err, errNoKey):
			httpbody.WriteError(w, http.StatusBadRequest, err.Error())
		default:
			httpbody.WriteError(w, http.StatusBadGateway, "the database: "+err.Error())
		}
	})
}

// kindCount is a kind, and how many of its items were read.
type kindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

func (i *Items) kinds(r *http.Request) (any, error) {
	counts := map[string]int{}
	next, err := i.read(r.Context(), reading{after: r.FormValue("after"), keysOnly: true}, func(k Key, _ item) bool {
		counts[k.Kind()]++
		return true
	})
	kinds := []kindCount{}
	for kind, count := range counts {
		kinds = append(kinds, kindCount{kind, count})
	}
	slices.SortFunc(kinds, func(a, b kindCount) int { return cmp.Compare(a.Kind, b.Kind) })
	type overview struct {
		Table        string      `json:"table"`
		PartitionKey string      `json:"partition_key"`
		SortKey      string      `json:"sort_key"` // empty: it has none
		TTL          string      `json:"ttl"`      // the attribute with the seconds since 1970 at which an item expires
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

func (i *Items) list(r *http.Request) (any, error) {
	kind, partition, q := r.FormValue("kind"), r.FormValue("partition"), strings.ToLower(r.FormValue("q"))
	if kind != "" && partition != "" {
		return nil, errWhich
	}
	found, last := []item{}, Key{}
	full := false
	next, err := i.read(r.Context(), reading{after: r.FormValue("after"), partition: partition},
		func(k Key, one item) bool {
			if kind != "" && k.Kind() != kind || !strings.Contains(strings.ToLower(k.PK+"\n"+k.SK), q) {
				return true
			}
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
		Siblings group  `json:"siblings"` // of its partition
		Links    []link `json:"links"`
		// Complete tells whether all of the table was looked through for links.
		Complete bool `json:"complete"`
	}
	return view{Kind: key.Kind(), Item: found, Siblings: siblings, Links: links, Complete: next == ""}, err
}

// siblings are the other items of a partition.
func (i *Items) siblings(ctx context.Context, of Key) (g group, err error) {
	g.Keys = []Key{}
	_, err = i.read(ctx, reading{partition: of.PK, keysOnly: true}, func(k Key, _ item) bool {
		if k != of {
			g.add(k)
		}
		return !g.More
	})
	return g, err
}

// item is an item in DynamoDB's JSON: by attribute, then the type of its value.
type item map[string]json.RawMessage

// keyAttribute is an attribute of the primary key.
type keyAttribute struct{ name, kind string } // S, N or B

// keyOf finds the attribute of a key in the table's definitions.
func keyOf(t template.Table, name string) keyAttribute {
	for _, definition := range t.Input.AttributeDefinitions {
		if aws.ToString(definition.AttributeName) == name {
			return keyAttribute{name, string(definition.AttributeType)}
		}
	}
	return keyAttribute{}
}
