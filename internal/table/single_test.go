package table_test

import (
	"errors"
	"testing"

	"frontdesk/internal/api"
	"frontdesk/internal/table"
)

func TestASingleWriteThatMeetsTransactionsToTheEndIsAConflict(t *testing.T) {
	for name, c := range map[string]struct {
		conflicts int
		code      api.Code // -1 for success
	}{
		"seven": {7, -1},
		"eight": {8, api.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab, _ := faulty(t, repeat(single, c.conflicts)...)
			err := table.Single(tab.Put(counter{Key: table.MailKey(1)}).Run(t.Context()))
			e, ok := errors.AsType[*api.Error](err)
			if c.code < 0 && err != nil || c.code >= 0 && (!ok || e.Code != c.code) {
				t.Errorf("error %v", err)
			}
		})
	}
	if other := errors.New("other"); table.Single(other) != other || table.Single(nil) != nil {
		t.Error("another error is not left as it is")
	}
}
