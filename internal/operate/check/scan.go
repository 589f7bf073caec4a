package check

import (
	"context"
	"sync"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
)

// pageItems limits how many items of a segment are in memory. DynamoDB ends a page at 1 MB anyway.
const pageItems = 1000

// scan reads the table once, and keeps what nothing has agreed with. Of an item it keeps digests and the page.
type scan struct {
	kinds    table.Registry
	now      time.Time
	options  Options
	progress func() // after each page

	mu       sync.Mutex
	items    int
	counts   map[string]int
	tallies  map[string]int
	pages    []page
	pairs    map[digest]side // of which one side has spoken
	needed   map[digest]int  // the page of an item that needs it
	provided map[digest]bool
	parents  map[digest]edge
	alone    map[int]bool // pages with an item that is suspicious by itself
}

// page says where a page begins.
type page struct {
	segment int
	after   table.Key
}

// side is the side of a pair that has spoken.
type side struct {
	weight int8
	page   int32
}

// edge leads from an item to the one above it.
type edge struct {
	parent digest
	page   int32
}

func newScan(kinds table.Registry, now time.Time, o Options) *scan {
	return &scan{
		kinds: kinds, now: now, options: o, progress: func() {}, counts: map[string]int{}, tallies: map[string]int{},
		pairs: map[digest]side{}, needed: map[digest]int{}, provided: map[digest]bool{},
		parents: map[digest]edge{}, alone: map[int]bool{},
	}
}

// read reads all segments in parallel.
func (s *scan) read(ctx context.Context) error {
	group, ctx := api.NewGroupContext(ctx)
	for segment := range s.options.Segments {
		group.Go(func() error {
			for after, ended := (table.Key{}), false; !ended; ended = after == (table.Key{}) {
				items, last, err := s.readPage(ctx, page{segment, after}, pageItems)
				if err != nil {
					return err
				}
				s.add(page{segment, after}, items)
				after = last
			}
			return nil
		})
	}
	return group.Wait()
}

func (s *scan) readPage(ctx context.Context, p page, limit int) (items []table.Stored, last table.Key, err error) {
	raws, last, err := s.options.Source.ScanPage(ctx, p.segment, s.options.Segments, limit, p.after)
	items = make([]table.Stored, len(raws))
	for i, raw := range raws {
		items[i] = s.kinds.Read(raw, s.now)
	}
	return items, last, err
}

// add counts the items of a page, and adds what they state.
func (s *scan) add(p page, items []table.Stored) {
	stated := make([][]statement, len(items))
	for n, i := range items {
		stated[n] = statements(i)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := len(s.pages)
	s.pages = append(s.pages, p)
	for n, i := range items {
		s.items++
		s.counts[i.Key.Kind()]++
		if name := ask(i.Kind.Tally, i); name != "" {
			s.tallies[name]++
		}
		for _, st := range stated[n] {
			s.addStatement(st, at)
		}
	}
	s.progress()
}

// addStatement adds a statement. One that the other side of a pair agrees with cancels out.
func (s *scan) addStatement(st statement, page int) {
	switch st.kind {
	case alone:
		s.alone[page] = true
	case pair:
		weight := s.pairs[st.digest].weight + st.weight
		if weight == 0 {
			delete(s.pairs, st.digest)
		} else {
			s.pairs[st.digest] = side{weight, int32(page)}
		}
	case need:
		s.needed[st.digest] = page
	case provided:
		s.provided[st.digest] = true
	case parent:
		s.parents[st.digest] = edge{st.parent, int32(page)}
	}
}

// disagreed returns the statements that nothing agrees with, and the pages of the items that made them.
func (s *scan) disagreed() (unmatched map[statementKind]map[digest]bool, pages map[int]bool) {
	unmatched, pages = map[statementKind]map[digest]bool{pair: {}, need: {}, parent: {}}, s.alone
	for d, side := range s.pairs {
		unmatched[pair][d], pages[int(side.page)] = true, true
	}
	for d, page := range s.needed {
		if !s.provided[d] {
			unmatched[need][d], pages[page] = true, true
		}
	}
	for _, d := range circles(s.parents) {
		unmatched[parent][d], pages[int(s.parents[d].page)] = true, true
	}
	return unmatched, pages
}

// circles returns one item of each cycle. It walks from each item upwards, and stops at one that it has visited. If
// that was in the same walk, the walk has closed a cycle.
func circles(edges map[digest]edge) (closed []digest) {
	walks := make(map[digest]digest, len(edges)) // the item from which an item was first visited
	for start := range edges {
		at := start
		for {
			e, found := edges[at]
			if !found {
				break
			}
			if walk, visited := walks[at]; visited {
				if walk == start {
					closed = append(closed, at)
				}
				break
			}
			walks[at] = start
			at = e.parent
		}
	}
	return closed
}

// suspects reads the pages of what nothing agrees with once more, and returns what has to be judged. Items that were
// added meanwhile push others out of a page, so it reads twice as many.
func (s *scan) suspects(ctx context.Context) (map[suspicion][]table.Key, error) {
	unmatched, pages := s.disagreed()
	suspects := map[suspicion][]table.Key{}
	for at, p := range s.pages {
		if !pages[at] {
			continue
		}
		items, _, err := s.readPage(ctx, p, 2*pageItems)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			for _, st := range statements(i) {
				if st.kind == alone || unmatched[st.kind][st.digest] {
					suspects[st.suspicion] = append(suspects[st.suspicion], i.Key)
				}
			}
		}
	}
	return suspects, nil
}
