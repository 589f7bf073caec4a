package main

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/mail"
	"frontdesk/internal/table"
)

// judgeQuotas holds what was captured against what the mail keys' quotas count: that may be more, of mails that may
// have been sent, and never less.
func judgeQuotas(ctx context.Context, t table.Table, clients []*client, got map[string]captures, broken *violations) {
	for _, some := range byTenant(clients) {
		captured := 0
		for _, c := range some {
			for _, l := range c.letters {
				for _, n := range got[l.subject] {
					captured += n
				}
			}
		}
		of := some[0].tenant
		counted, err := countedOn(ctx, t, of, days(some[0].common.begin, time.Now()))
		if err != nil {
			broken.add("read what a quota counts: %v", err)
			continue
		}
		of.judge(captured, counted, broken)
	}
}

// days are the days of a time, in UTC: two when it is at midnight.
func days(from, to time.Time) []time.Time {
	const day = 24 * time.Hour
	first, last := from.UTC().Truncate(day), to.UTC().Truncate(day)
	return slices.Compact([]time.Time{first, last})
}

// countedOn is what the quota of a tenant's mail key counts for each of some days.
func countedOn(ctx context.Context, t table.Table, of *tenant, days []time.Time) (counted []int, err error) {
	for _, day := range days {
		_, used, err := mail.Keys{Table: t}.Used(ctx, of.mailKeyID, day)
		if err != nil {
			return nil, err
		}
		counted = append(counted, used)
	}
	return counted, nil
}

// judge holds the recipients that a tenant's mails reached against what its quota counts for each day.
func (of *tenant) judge(captured int, counted []int, broken *violations) {
	sum := 0
	for _, n := range counted {
		sum += n
		if n > of.daily {
			broken.add("a quota of %d recipients counts %d", of.daily, n)
		}
	}
	if captured > sum {
		broken.add("mails reached %d recipients, and the quota of their key counts %d", captured, sum)
	}
}
