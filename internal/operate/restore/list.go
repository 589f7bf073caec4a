package restore

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/base/table/itemjson"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
)

// A list is a file of lines of JSON: a header, one line per item with the attributes that decide about access, and the
// number of items. Without that last line the list is incomplete.
type (
	listHeader struct {
		Version int       `json:"frontdesk_access"` // of the format
		Table   string    `json:"table"`            // the table's ARN
		At      time.Time `json:"at"`               // when writing began
	}
	listEnd struct {
		Items *int `json:"items"`
	}
)

const listVersion = 2

// WriteList writes a list of what gives access in a table into a new file. Only the owner can read the file, because it
// contains e-mail addresses. It returns the number of items. If it fails, it removes the file.
func WriteList(
	ctx context.Context, t table.Table, kinds table.Registry, path string, progress func(done, about int64),
) (items int, err error) {
	described, err := t.Describe(ctx)
	if err != nil {
		return 0, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	var mu sync.Mutex
	buffer := bufio.NewWriter(file)
	lines := json.NewEncoder(buffer)
	header := listHeader{listVersion, aws.ToString(described.TableArn), time.Now().UTC().Truncate(time.Second)}
	if err := lines.Encode(header); err != nil {
		return 0, err
	}
	read := counting(aws.ToInt64(described.ItemCount), progress)
	err = t.ScanAll(ctx, func(_ context.Context, page []dynamo.Item) error {
		mu.Lock()
		defer mu.Unlock()
		defer read(len(page))
		for _, item := range page {
			kind := kinds[table.KeyOf(item).Kind()]
			if kind.Access == nil {
				continue
			}
			kept := accessOf(kind, item)
			if kind.Conceal != nil {
				kept = kind.Conceal(kept)
			}
			if err := lines.Encode(itemjson.Document(kept)); err != nil {
				return fmt.Errorf("%s: %w", table.KeyOf(item), err)
			}
			items++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if err := lines.Encode(listEnd{&items}); err != nil {
		return 0, err
	}
	return items, errors.Join(buffer.Flush(), file.Sync())
}

// FromFile reads a list that [WriteList] wrote. The list stays in memory as long as the source is used. It refuses an
// incomplete list: whatever the list lacks would be ended.
func FromFile(path string) (s Source, err error) {
	file, err := os.Open(path)
	if err != nil {
		return s, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	// A line is one item, which DynamoDB limits to 400 KB. A megabyte leaves room for its JSON.
	lines.Buffer(nil, 1<<20)
	var header listHeader
	lines.Scan()
	switch err := json.Unmarshal(lines.Bytes(), &header); {
	case err != nil || header.Version == 0 || header.Table == "":
		return s, fmt.Errorf("%s is no list of what gives access", path)
	case header.Version != listVersion:
		return s, fmt.Errorf("%s is of version %d, which this frontdesk does not know", path, header.Version)
	}
	l := list{map[table.Key]string{}, map[string]bool{}}
	var end listEnd
	count := 0
	for ; lines.Scan(); count++ {
		if json.Unmarshal(lines.Bytes(), &end) == nil && end.Items != nil {
			break
		}
		if err := l.add(lines.Text()); err != nil {
			return s, fmt.Errorf("%s, line %d: %w", path, count+2, err)
		}
	}
	if lines.Scan() {
		return s, fmt.Errorf("%s has lines after its end", path)
	}
	if err := lines.Err(); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	// The end is the last line that is written. Without it, or with another number, some items are missing.
	if end.Items == nil || *end.Items != count {
		return s, fmt.Errorf("%s is not whole: what is missing in it would be ended", path)
	}
	return Source{Name: path, At: header.At, Later: l, each: l.each, table: header.Table}, nil
}

// list is a list in memory. Lines stay encoded, because they take less memory than decoded items.
type list struct {
	lines      map[table.Key]string
	partitions map[string]bool
}

// add adds the item of a line. If an item has two lines, the later one counts.
func (l list) add(line string) error {
	item, err := parseItem(line)
	if err != nil {
		return err
	}
	k := table.KeyOf(item)
	l.lines[k], l.partitions[k.PK] = line, true
	return nil
}

// parseItem decodes a line. A line without a key is refused.
func parseItem(line string) (dynamo.Item, error) {
	var d itemjson.Document
	if err := json.Unmarshal([]byte(line), &d); err != nil {
		return nil, err
	}
	if !table.KeyOf(dynamo.Item(d)).Fits() {
		return nil, errors.New("it has no key")
	}
	return dynamo.Item(d), nil
}

// Read reads items as [table.Table.Read] does.
func (l list) Read(_ context.Context, keys ...table.Key) (table.Items, error) {
	found := table.Items{}
	for _, k := range keys {
		line, ok := l.lines[k]
		if !ok {
			continue
		}
		item, err := parseItem(line)
		if err != nil {
			return nil, err
		}
		found[k] = item
	}
	return found, nil
}

// Has reports whether a partition has an item in the list.
func (l list) Has(_ context.Context, partition string) (bool, error) {
	return l.partitions[partition], nil
}

// each visits all items of the list, as a scan of a table does.
func (l list) each(ctx context.Context, visit func(context.Context, []dynamo.Item) error) error {
	for keys := range slices.Chunk(slices.Collect(maps.Keys(l.lines)), table.MaxItems) {
		found, err := l.Read(ctx, keys...)
		if err == nil {
			err = visit(ctx, slices.Collect(maps.Values(found)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
