package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// common is the users whom many clients create at the same time, by the apps of several tenants.
type common struct {
	begin time.Time
	mu    sync.Mutex
	ids   map[string]int64 // by e-mail address
}

// commonTurn is how long all clients create the same one.
const commonTurn = 2 * time.Second

// createCommonPerson creates a user whom others create, too: all of them have to get the same one.
func (c *client) createCommonPerson(ctx context.Context) {
	name := fmt.Sprintf("common-%d", time.Since(c.common.begin)/commonTurn)
	p := &person{tenant: c.tenant, email: name + "@example.org", name: possible[string]{name}}
	a := c.do(ctx, c.creation(p))
	if !a.ok() {
		return
	}
	p.id = read[shownUser](a).ID
	if first := c.common.agree(p); first != p.id {
		c.broken.add("%s is user %d to one client and %d to another", p.email, first, p.id)
	}
	c.people = append(c.people, p)
}

// agree gives the id that the first client got.
func (s *common) agree(p *person) (first int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.ids[p.email]; !known {
		s.ids[p.email] = p.id
	}
	return s.ids[p.email]
}

func (p *person) common() bool { return strings.HasPrefix(p.email, "common-") }
