package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"

	"frontdesk/internal/table"
	"frontdesk/internal/table/itemjson"

	"github.com/guregu/dynamo/v2"
)

// Restored reports what became of the items that a repair had saved.
type Restored struct {
	Put   int // items restored to what they were
	There int // items that were so already
	Left  []LeftItem
}

// LeftItem is an item that was not put back, with the reason.
type LeftItem struct {
	Key string `json:"key"`
	Why string `json:"why"`
}

// PutBack restores what repairs deleted or overwrote, from the file named by [Options.Repair]. It restores a deleted
// item if no item has its key, and a changed one if it still is as the repair left it. Items that repairs added stay. A
// second call changes nothing.
func PutBack(ctx context.Context, t table.Table, path string) (r Restored, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	changes, err := parseSaved(text, t.Name())
	if err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	// The last change first: an item may have been changed more than once.
	for _, c := range slices.Backward(changes) {
		err := apply(ctx, t, change{c.key, c.After, c.Before})
		why := ""
		if errors.Is(err, errChanged) {
			why, err = c.compare(ctx, t)
		}
		switch {
		case err != nil:
			return r, fmt.Errorf("put back %s: %w", c.key, err)
		case why == "":
			r.Put++
		case why == asBefore:
			r.There++
		default:
			r.Left = append(r.Left, LeftItem{c.key.String(), why})
		}
	}
	return r, nil
}

// asBefore is the reason for not putting back an item that is as before already.
const asBefore = "it is as before"

// compare says why an item was not put back although it differs from what the repair left.
func (c change) compare(ctx context.Context, t table.Table) (why string, err error) {
	items, err := t.Read(ctx, c.key)
	switch now := itemjson.Document(items[c.key]); {
	case err != nil:
		return "", err
	case reflect.DeepEqual(now, c.Before):
		return asBefore, nil
	case now == nil:
		return "it was deleted since", nil
	case c.After == nil:
		return "there is another item of its key", nil
	default:
		return "it was changed since", nil
	}
}

// parseSaved parses the changes in a file, in order. Consecutive changes of one item become one. It ignores a last line
// without a line feed: the repair was interrupted before it wrote that change to the table.
func parseSaved(text []byte, tableName string) (changes []change, err error) {
	first, lines, _ := bytes.Cut(text, []byte("\n"))
	var header savedHeader
	switch err := json.Unmarshal(first, &header); {
	case err != nil || header.Version == 0:
		return nil, errors.New("it is no file of a repair")
	case header.Version != savedVersion:
		return nil, fmt.Errorf("it is of version %d, which this frontdesk does not know", header.Version)
	case header.Table != tableName:
		return nil, fmt.Errorf("it is of the table %s, not of %s", header.Table, tableName)
	}
	last := map[table.Key]int{} // the index of an item's last change
	for number := 2; len(lines) > 0; number++ {
		line, rest, whole := bytes.Cut(lines, []byte("\n"))
		if !whole {
			break
		}
		lines = rest
		c, err := parseChange(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if i, ok := last[c.key]; ok && reflect.DeepEqual(changes[i].After, c.Before) {
			changes[i].After = c.After
			continue
		}
		last[c.key] = len(changes)
		changes = append(changes, c)
	}
	return changes, nil
}

// parseChange parses a line. Both states must have the same key, which the table can have.
func parseChange(line []byte) (c change, err error) {
	if err := json.Unmarshal(line, &c); err != nil {
		return c, err
	}
	c.key = table.KeyOf(dynamo.Item(c.Before))
	if !c.key.Fits() || c.After != nil && table.KeyOf(dynamo.Item(c.After)) != c.key {
		return c, errors.New("it is not of one item")
	}
	return c, nil
}
