package ses

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// Suppressed is an address to which SES does not send, with the reason.
type Suppressed struct {
	Address   string                      `json:"address"`
	Reason    types.SuppressionListReason `json:"reason"`
	At        time.Time                   `json:"at"`
	MessageID string                      `json:"message_id"` // of the mail that caused it; "" if there is none
}

// SuppressionList is the account's list: addresses that have bounced or complained, and those that were added by hand.
// As on AWS, the simulator's addresses are never added automatically. The zero value is an empty list in memory.
type SuppressionList struct {
	file string // empty keeps the list in memory

	mu        sync.Mutex
	addresses map[string]Suppressed
}

// OpenSuppressionList opens the list in a file, which need not exist. With an empty name the list is in memory.
func OpenSuppressionList(file string) (*SuppressionList, error) {
	l := &SuppressionList{file: file}
	if file == "" {
		return l, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &l.addresses)
	}
	if err != nil {
		return nil, fmt.Errorf("read suppression list: %w", err)
	}
	return l, nil
}

// All returns the addresses, sorted.
func (l *SuppressionList) All() (all []Suppressed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, address := range slices.Sorted(maps.Keys(l.addresses)) {
		all = append(all, l.addresses[address])
	}
	return all
}

// Get finds an address; the case of its domain does not matter. It returns false if the address is not on the list.
func (l *SuppressionList) Get(address string) (Suppressed, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.addresses[canonical(address)]
	return s, ok
}

// Put adds an address, or changes its reason.
func (l *SuppressionList) Put(s Suppressed) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Address = canonical(s.Address)
	if l.addresses == nil {
		l.addresses = map[string]Suppressed{}
	}
	l.addresses[s.Address] = s
	return l.write()
}

// Delete removes an address. It returns false if the address is not on the list.
func (l *SuppressionList) Delete(address string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.addresses[canonical(address)]; !ok {
		return false, nil
	}
	delete(l.addresses, canonical(address))
	return true, l.write()
}

// write replaces the file as a whole. Only its owner can read it, because it contains addresses.
func (l *SuppressionList) write() error {
	if l.file == "" {
		return nil
	}
	text, err := json.Marshal(l.addresses)
	if err == nil {
		err = os.WriteFile(l.file+".tmp", text, 0o600)
	}
	if err == nil {
		err = os.Rename(l.file+".tmp", l.file)
	}
	if err != nil {
		return fmt.Errorf("write suppression list: %w", err)
	}
	return nil
}

// addBounced adds the recipients that bounced permanently or complained.
func (l *SuppressionList) addBounced(m Mail, happened []detail) error {
	learn := func(reason types.SuppressionListReason, recipients []recipient) (err error) {
		for _, r := range recipients {
			// The simulator can be used again and again, so its addresses are never listed.
			if !strings.HasSuffix(canonical(r.Email), "@"+simulator) && err == nil {
				err = l.Put(Suppressed{Address: r.Email, Reason: reason, At: m.ReceivedAt, MessageID: m.ID})
			}
		}
		return err
	}
	for _, d := range happened {
		var err error
		switch {
		// Other bounces say nothing about the address: an automatic answer, or an address that is on the list already.
		case d.Bounce != nil && d.Bounce.Type == "Permanent" && d.Bounce.SubType == "General":
			err = learn(types.SuppressionListReasonBounce, d.Bounce.Recipients)
		case d.Complaint != nil && d.Complaint.SubType == nil:
			err = learn(types.SuppressionListReasonComplaint, d.Complaint.Recipients)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// canonical returns an address with its domain in lower case.
func canonical(address string) string {
	at := strings.LastIndex(address, "@") + 1
	return address[:at] + strings.ToLower(address[at:])
}
