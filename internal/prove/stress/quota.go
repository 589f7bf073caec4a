package main

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/service/mail/mailkey"
)

// checkQuotas compares what was captured with what the mail keys' quotas count. A quota may count more, for mails
// that may have been sent, but never less.
func (o *oracle) checkQuotas(ctx context.Context, got map[string]captures) {
	for clients := range slices.Chunk(o.clients, tenantClients) {
		captured := 0
		for _, c := range clients {
			for _, m := range c.mails {
				for _, n := range got[m.subject] {
					captured += n
				}
			}
		}
		t := clients[0].tenant
		counted, err := o.counted(ctx, t, days(o.injector.begin, time.Now()))
		if err != nil {
			o.violations.add("read what a quota counts: %v", err)
			continue
		}
		t.checkQuota(captured, counted, o.violations)
	}
}

// days returns the days of a time span, in UTC: two if it includes midnight.
func days(from, to time.Time) []time.Time {
	const day = 24 * time.Hour
	first, last := from.UTC().Truncate(day), to.UTC().Truncate(day)
	return slices.Compact([]time.Time{first, last})
}

// counted returns what the quota of a tenant's mail key counts, for each of the days.
func (o *oracle) counted(ctx context.Context, t *tenant, days []time.Time) (counted []int, err error) {
	for _, day := range days {
		_, used, err := mailkey.Keys{Table: o.table}.Used(ctx, t.MailKey.ID, day)
		if err != nil {
			return nil, err
		}
		counted = append(counted, used)
	}
	return counted, nil
}

// checkQuota compares the recipients whom a tenant's mails reached with the counts of its quota for each day.
func (t *tenant) checkQuota(captured int, counted []int, v *violations) {
	sum := 0
	for _, n := range counted {
		sum += n
		if n > t.daily {
			v.add("a quota of %d recipients counts %d", t.daily, n)
		}
	}
	if captured > sum {
		v.add("mails reached %d recipients, and the quota of their key counts %d", captured, sum)
	}
}
