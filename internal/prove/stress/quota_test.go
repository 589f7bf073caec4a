package main

import "testing"

// TestTheQuotaOracleHoldsCountsAgainstMails: the quota may count mails that were not captured, but never the reverse,
// and it never exceeds its limit.
func TestTheQuotaOracleHoldsCountsAgainstMails(t *testing.T) {
	for name, c := range map[string]struct {
		captured int
		counted  []int
		want     string
	}{
		"all are counted":                 {90, []int{90}, ""},
		"more are counted, perhaps twice": {80, []int{100}, ""},
		"fewer are counted":               {90, []int{89}, "reached 90 recipients"},
		"more than the quota":             {90, []int{101}, "a quota of 100 recipients counts 101"},
		"two days have two quotas":        {150, []int{100, 50}, ""},
		"nothing is counted":              {1, []int{0}, "counts 0"},
	} {
		t.Run(name, func(t *testing.T) {
			var found violations
			(&tenant{daily: 100}).checkQuota(c.captured, c.counted, &found)
			found.want(t, c.want)
		})
	}
}
