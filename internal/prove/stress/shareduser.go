package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// sharedUsers are users that many clients create at the same time, by the apps of several tenants.
type sharedUsers struct {
	begin time.Time // of the load
	ids   sync.Map  // the id in the first answer, by e-mail address
}

// sharedTurn is how long all clients try to create the same user.
const sharedTurn = 2 * time.Second

// createSharedUser creates a user that other clients create as well: all of them have to get the same user.
func (c *client) createSharedUser(ctx context.Context) {
	name := fmt.Sprintf("shared-%d", time.Since(c.shared.begin)/sharedTurn)
	u := &userModel{email: name + "@example.org", name: states[string]{name}}
	if !c.create(ctx, u).ok() {
		return
	}
	if first, _ := c.shared.ids.LoadOrStore(u.email, u.id); first != u.id {
		c.violations.add("%s is user %v to one client and %d to another", u.email, first, u.id)
	}
}

func (u *userModel) shared() bool { return strings.HasPrefix(u.email, "shared-") }
