package ses

import (
	"path/filepath"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
)

// TestWhoBouncesOrComplainsComesOntoTheList shows which addresses are added automatically, that SES then sends nothing
// to them, and that removing one ends that. As on AWS, a bounce of the mailbox simulator does not change the list.
func TestWhoBouncesOrComplainsComesOntoTheList(t *testing.T) {
	endpoint, _ := startEvents(t, allTypes...)
	client := start(t, endpoint)
	// Addresses in .invalid stand for people who bounce, or who complain if they are named complaint.
	const known, put = "a@people.invalid", "put@example.org"
	if err := endpoint.Suppressed.Put(Suppressed{Address: put, Reason: "COMPLAINT", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	send := func(to ...string) (outcomes map[string]string) {
		t.Helper()
		in := sendEmailInput([]byte("Subject: x\r\n\r\n"), to, nil, nil)
		if _, err := client.SendEmail(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		return endpoint.Outbox.Mails()[0].Outcomes
	}
	const simulated, bystander = "bounce@simulator.amazonses.com", "b@example.org"
	to := []string{known, "complaint@people.invalid", simulated, put, bystander}
	expect.Equal(t, send(to...), map[string]string{
		known: "bounced", "complaint@people.invalid": "complained", simulated: "bounced",
		put: "suppressed", bystander: "delivered",
	}, "the first mail")
	var listed []string
	for _, s := range endpoint.Suppressed.All() {
		listed = append(listed, s.Address+" "+string(s.Reason))
	}
	expect.Equal(t, listed,
		[]string{known + " BOUNCE", "complaint@people.invalid COMPLAINT", put + " COMPLAINT"}, "the list")
	expect.Equal(t, send(to...), map[string]string{
		known: "suppressed", "complaint@people.invalid": "suppressed", simulated: "bounced",
		put: "suppressed", bystander: "delivered",
	}, "the second mail")
	// The case of the domain does not matter.
	if was, err := endpoint.Suppressed.Delete("a@People.Invalid"); !was || err != nil {
		t.Fatalf("it was on the list: %v, %v", was, err)
	}
	expect.Equal(t, send(known), map[string]string{known: "bounced"}, "after it was removed")
}

// TestTheListOutlivesTheStack opens the same file again and again, and changes the list in between.
func TestTheListOutlivesTheStack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "suppressed.json")
	// The rounds find none, a, a and b, and then only a: the third round finds b and deletes it. The last one adds
	// b again.
	for _, want := range []int{0, 1, 2, 1} {
		list, err := OpenSuppressionList(file)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, len(list.All()), want, "the number of addresses")
		if _, there := list.Get("b@example.org"); there {
			_, err = list.Delete("b@example.org")
		} else {
			err = list.Put(Suppressed{Address: string(rune('a'+want)) + "@example.org", Reason: "BOUNCE"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
