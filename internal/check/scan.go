package check

import (
	"context"
	"encoding/binary"
	"sync"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"
)

// Source is a table that can be read page by page, such as [table.Table].
type Source interface {
	// ScanPage reads up to limit items of one of the segments, after a key. It returns the key of the last item, or the
	// zero Key at the end of the segment.
	ScanPage(ctx context.Context, segment, segments, limit int, after table.Key) (
		items []dynamo.Item, last table.Key, err error)
}

// pageItems limits how many items of a segment are in memory. DynamoDB ends a page at 1 MB anyway.
const pageItems = 1000

// scan reads the table once, and then the suspicious pages a second time.
type scan struct {
	source   Source
	rules    []Rule
	segments int
	progress func(Progress)
	about    int64  // how many items there are, roughly
	state    *state // nil if nothing is recorded

	mu    sync.Mutex
	items int
	kinds map[string]int
	tally map[string]int // by the names of [Item.Tally]
	pages []page
	sum   sum
}

// page says where a page begins and ends, and what the first reading found in it.
type page struct {
	Segment     int
	After, Last table.Key
	Kinds       map[string]int
	Tally       map[string]int
	Suspect     bool   // an item is suspicious by itself
	Said, Below []byte // statements and edges, encoded for the state file only
}

// read reads all segments in parallel, each from where the recorded pages end.
func (s *scan) read(ctx context.Context) error {
	last, ended := make([]table.Key, s.segments), make([]bool, s.segments)
	for _, p := range s.pages {
		last[p.Segment], ended[p.Segment] = p.Last, p.Last == table.Key{}
	}
	group, ctx := errgroup.WithContext(ctx)
	for segment := range s.segments {
		if ended[segment] {
			continue
		}
		group.Go(func() error { return s.readSegment(ctx, segment, last[segment]) })
	}
	return group.Wait()
}

// readSegment reads one segment to its end, page by page.
func (s *scan) readSegment(ctx context.Context, segment int, after table.Key) error {
	says := map[uint64]int32{}
	for {
		items, last, err := s.source.ScanPage(ctx, segment, s.segments, pageItems, after)
		if err != nil {
			return err
		}
		// Statements are collected per page: those that agree within it never reach the sum.
		clear(says)
		p := page{Segment: segment, After: after, Last: last, Kinds: map[string]int{}, Tally: map[string]int{}}
		noted := statements{of: says}
		for _, raw := range items {
			i := Item{Key: table.KeyOf(raw), raw: raw, says: noted}
			s.judge(&i)
			noted.below = i.says.below
			p.Kinds[i.Key.Kind()]++
			for _, name := range i.tallies {
				p.Tally[name]++
			}
			p.Suspect = p.Suspect || i.suspects > 0
		}
		if err := s.keep(p, noted); err != nil {
			return err
		}
		after = last
		if last == (table.Key{}) {
			return nil
		}
	}
}

// judge asks every rule about an item. Each rule looks at the key first, and most return at once.
func (s *scan) judge(i *Item) {
	for _, rule := range s.rules {
		rule(i)
	}
}

// keep adds a page to the sum and to the state file. Facts of weight 0 are left out: the items of the page agree
// on them.
func (s *scan) keep(p page, noted statements) error {
	said := make([]statement, 0, len(noted.of))
	for fact, weight := range noted.of {
		if weight != 0 {
			said = append(said, statement{Fact: fact, Weight: weight})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(p, said, noted.below)
	if s.state != nil {
		p.Said, _ = binary.Append(nil, binary.BigEndian, said) // statements are of fixed size
		p.Below, _ = binary.Append(nil, binary.BigEndian, noted.below)
		if err := s.state.write(p); err != nil {
			return err
		}
	}
	s.progress(Progress{"items", int64(s.items), s.about})
	return nil
}

// add adds a page to the sum. The page's index identifies it in the statements.
func (s *scan) add(p page, said []statement, below []edge) {
	for i := range said {
		said[i].Page = uint32(len(s.pages))
	}
	for i := range below {
		below[i].Page = uint32(len(s.pages))
	}
	s.sum.add(said, below)
	for kind, n := range p.Kinds {
		s.kinds[kind] += n
		s.items += n
	}
	for name, n := range p.Tally {
		s.tally[name] += n
	}
	p.Kinds, p.Tally, p.Said, p.Below = nil, nil, nil, nil
	s.pages = append(s.pages, p)
}

// suspects reads the suspicious pages again, and calls each for every candidate. Items added meanwhile push others out
// of a page, so it reads twice as many items. A candidate that two pages share is looked up once.
func (s *scan) suspects(ctx context.Context, each func(Candidate) error) error {
	broken, suspect := s.sum.broken()
	for n, p := range s.pages {
		if p.Suspect {
			suspect[uint32(n)] = true
		}
	}
	before := make([]map[table.Key]bool, s.segments) // suspicious items of the previous page, by segment
	done := int64(0)
	for n, p := range s.pages {
		if !suspect[uint32(n)] {
			continue
		}
		items, _, err := s.source.ScanPage(ctx, p.Segment, s.segments, 2*pageItems, p.After)
		if err != nil {
			return err
		}
		now := map[table.Key]bool{}
		for _, raw := range items {
			i := Item{Key: table.KeyOf(raw), raw: raw, broken: broken}
			if s.judge(&i); i.suspects > 0 {
				now[i.Key] = true
			}
			if before[p.Segment][i.Key] {
				continue
			}
			for _, c := range i.candidates {
				if err := each(c); err != nil {
					return err
				}
			}
		}
		before[p.Segment] = now
		done++
		s.progress(Progress{"suspect pages", done, int64(len(suspect))})
	}
	return nil
}
