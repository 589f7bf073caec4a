package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// customer is what one customer asks for in a month.
type customer struct {
	name                 string
	mails, reads, logins float64
	events               bool // the log records what became of mails: two events for each
}

var customers = []customer{
	{name: "10,000 mails", mails: 1e4},
	{name: "100,000 mails with events", mails: 1e5, events: true},
	{
		name:  "1,000,000 mails with events, 10 million public reads, a million sign-ins",
		mails: 1e6, events: true, reads: 1e7, logins: 1e6,
	},
}

// costs are US dollars by service.
type costs struct{ ses, api, lambda, table, logs, alarms float64 }

// plus adds the costs of many requests of one kind.
func (c costs) plus(other costs, times float64) costs {
	return costs{
		ses:    c.ses + times*other.ses,
		api:    c.api + times*other.api,
		lambda: c.lambda + times*other.lambda,
		table:  c.table + times*other.table,
		logs:   c.logs + times*other.logs,
		alarms: c.alarms + times*other.alarms,
	}
}

func (c costs) sum() float64 { return c.ses + c.api + c.lambda + c.table + c.logs + c.alarms }

// service is a part of a bill.
type service struct {
	name string
	cost func(costs) float64
}

// services are the parts of a bill, in order.
var services = []service{
	{"SES", func(c costs) float64 { return c.ses }},
	{"HTTP API", func(c costs) float64 { return c.api }},
	{"Lambda", func(c costs) float64 { return c.lambda }},
	{"DynamoDB", func(c costs) float64 { return c.table }},
	{"logs", func(c costs) float64 { return c.logs }},
	{"alarms and metrics", func(c costs) float64 { return c.alarms }},
}

// The requests in a bill besides mails.
const (
	publicRead   = "function=list-public-categories/kind=from-memory"
	signIn       = "function=sign-in/kind=by-password"
	signInByLink = "function=sign-in/kind=by-link"
)

// month returns the bill of a customer, without free tiers; false if something was not measured.
func (r *results) month(c customer) (bill costs, ok bool) {
	bill = costs{alarms: alarms + metrics}
	for name, times := range map[string]float64{
		"function=send-mail": c.mails,
		recorder:             c.recorded(),
		publicRead:           c.reads,
		signIn:               c.logins,
	} {
		u, measured := r.usage("Warm/" + name)
		if !measured {
			return costs{}, false
		}
		bill = bill.plus(u.costs(), times)
	}
	bill.table += c.recorded() / 2 * loggedMail / 1e9 * storedGB
	return bill, true
}

// recorded returns how many events are recorded in a month.
func (c customer) recorded() float64 {
	if c.events {
		return 2 * c.mails
	}
	return 0
}

// essentials returns what SES's plan Essentials costs more in a month.
func (c customer) essentials() float64 { return c.mails * (sesEssentials - sesRecipient) }

// bills returns a table of the monthly bills of all customers, by service.
func (r *results) bills() string {
	var t table
	head, total, essentials := []string{"a month"}, []string{"**together**"}, []string{"with SES's plan Essentials"}
	months := make([]costs, len(customers))
	for i, c := range customers {
		bill, ok := r.month(c)
		if !ok {
			return none
		}
		months[i] = bill
		head = append(head, c.name)
		total = append(total, fmt.Sprintf("**$%.2f**", bill.sum()))
		essentials = append(essentials, fmt.Sprintf("$%.2f", bill.sum()+c.essentials()))
	}
	t.add(head...)
	for _, s := range services {
		row := []string{s.name}
		for _, bill := range months {
			row = append(row, fmt.Sprintf("$%.2f, %.0f %%", s.cost(bill), 100*s.cost(bill)/bill.sum()))
		}
		t.add(row...)
	}
	t.add(total...)
	t.add(essentials...)
	return t.String()
}

// largest says what the largest bill is mostly for, and what would change it.
func (r *results) largest() string {
	c := customers[len(customers)-1]
	bill, ok := r.month(c)
	byLink, linkMeasured := r.usage("Warm/" + signInByLink)
	if !ok || !linkMeasured {
		return none
	}
	read, _ := r.usage("Warm/" + publicRead) // measured, because it is in the bill, as the next is
	byPassword, _ := r.usage("Warm/" + signIn)
	sorted := slices.SortedFunc(slices.Values(services), func(a, b service) int {
		return cmp.Compare(b.cost(bill), a.cost(bill))
	})
	share := func(part, all float64) string { return fmt.Sprintf("%.0f %%", 100*part/all) }
	first, second := sorted[0], sorted[1]
	saved := c.essentials()
	password, link := byPassword.costs(), byLink.costs()
	sentences := []string{
		fmt.Sprintf("%s is %s of the largest bill, and %s %s.", first.name, share(first.cost(bill), bill.sum()),
			second.name, share(second.cost(bill), bill.sum())),
	}
	if bill.ses > bill.sum()/2 {
		sentences = append(sentences,
			"Nothing that frontdesk does halves it: the price of a mail alone is more than half.")
	}
	return strings.Join(append(sentences,
		fmt.Sprintf("SES à la carte in place of Essentials saves %s.", share(saved, bill.sum()+saved)),
		fmt.Sprintf("A public read takes %.1f round trips and %.1f read units on average.", read.trips, read.read),
		fmt.Sprintf(
			"A million sign-ins by link cost $%.2f more of DynamoDB than by password, and $%.2f less of Lambda.",
			1e6*(link.table-password.table), 1e6*(password.lambda-link.lambda),
		),
		fmt.Sprintf("`LogRetentionDays` changes what keeping costs, which is %s of the logs.",
			share(keptGB, loggedGB+keptGB)),
		fmt.Sprintf("Of alarms and metrics $%.2f are left where nothing goes wrong for hours.", alarms),
	), "\n")
}
