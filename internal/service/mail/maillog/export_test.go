package maillog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/base/id"
)

// LogParts is how many partitions the log of a mail key has.
const LogParts = logParts

// LogPart is the partition of a log that has the mail with this id.
func LogPart(mailID string) int { return logPart(mailID) }

// EntryOf is a mail's entry in the log of its mail key, as an event that it was delivered leaves it.
func EntryOf(event []byte, expires time.Time) any {
	m, _, err := parse(event)
	if err != nil {
		panic(err)
	}
	return entry{
		Key: m.entry(), From: m.from, Subject: m.subject, ExpiresAt: expires,
		Outcomes: m.outcomesOf([]happening{{outcome: Delivered, recipients: m.to}}),
	}
}

// Stored are the items that an event leaves in an empty table.
func Stored(event []byte) ([]any, error) {
	m, happened, err := parse(event)
	if err != nil || len(happened) == 0 {
		return nil, err
	}
	items := []any{entry{Key: m.entry(), From: m.from, Subject: m.subject, Outcomes: m.outcomesOf(happened)}}
	for _, h := range happened {
		items = append(items, new(Service).eventItem(m, h))
	}
	return items, nil
}

// After is what some events of one mail leave, in a table in memory: its items, and the statuses by them and in a list.
func After(events [][]byte) string {
	s := &Service{Retention: time.Hour}
	items, set := map[string]eventItem{}, map[string]bool{}
	var e entry
	var key id.ID
	for _, event := range events {
		m, happened, err := parse(event)
		if err != nil {
			panic(err)
		}
		for _, h := range happened {
			item := s.eventItem(m, h)
			items[item.SK] = item
		}
		e, key = entry{Key: m.entry(), From: m.from, Subject: m.subject}, m.mailKey
		for _, outcome := range m.outcomesOf(happened) {
			set[outcome] = true
		}
	}
	e.Outcomes = slices.Sorted(maps.Keys(set))
	var sorted []eventItem
	for _, name := range slices.Sorted(maps.Keys(items)) {
		sorted = append(sorted, items[name])
	}
	text, err := json.Marshal([]any{sorted, e})
	if err != nil {
		panic(err)
	}
	shown := s.mailOf("", key, sorted)
	return fmt.Sprintf("%s\n%s\n%s", text, shown.statuses(), e.mail().statuses())
}

func (m Mail) statuses() string {
	text := string(m.Status) + ":"
	for _, r := range m.Recipients {
		text += " " + r.Email + "=" + string(r.Status)
	}
	return text
}
