package category_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// operator is an operator's access to the table. Before each transaction the test may do anything, and may refuse the
// transaction and all that follow, as when the operator loses a permission half-way.
type operator struct {
	aws.HTTPClient
	before func(n int) (stop bool)
	n      int
}

func (o *operator) Do(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
		o.n++
		if o.before(o.n) {
			const refusal = `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"stopped"}`
			body := io.NopCloser(strings.NewReader(refusal))
			return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: body, Request: r}, nil
		}
	}
	return o.HTTPClient.Do(r)
}

// portals returns the store of an operator. It calls before with the number of each transaction, from 1.
func (p *testPortal) portals(before func(n int) (stop bool)) portal.Store {
	cfg := p.Operator()
	cfg.HTTPClient = &operator{HTTPClient: cfg.HTTPClient, before: before}
	return portal.Store{Table: table.Open(cfg, p.Table.Name()), Settle: time.Millisecond}
}

// goOn lets every transaction pass.
func goOn(int) bool { return false }

// fill makes categories with every kind of link: more than one transaction can delete. It returns the root's id, and
// how many categories there are.
func (p *testPortal) fill(t testing.TB) (root int64, all int) {
	t.Helper()
	root = p.create(t, "root", nil)
	original := p.create(t, "original", object{"parent_category_id": root})
	more := object{"locale": "es", "associated_category_id": original, "related_category_ids": array{root}}
	p.create(t, "translation", more)
	p.link(t, root, 60)
	return root, 63
}

// left returns the keys of all items that name the portal.
func (p *testPortal) left(t testing.TB) (keys []string) {
	t.Helper()
	_, name, _ := strings.Cut(p.portal.Key().PK, "#")
	for _, item := range p.Items(t) {
		if k := table.KeyOf(item); strings.HasSuffix(k.PK, name) || strings.HasSuffix(k.SK, name) {
			keys = append(keys, k.String())
		}
	}
	return keys
}

// memberID returns the id of the portal's agent.
func (p *testPortal) memberID(t testing.TB) id.ID {
	t.Helper()
	token, ok := credential.Parse(credential.Agent, p.agent)
	if !ok {
		t.Fatal("the agent has no token")
	}
	return token.ID
}

// TestADeletedPortalLeavesNothing shows that a new portal with the slug of a deleted one inherits nothing: no category,
// no member, no cursor and no slug.
func TestADeletedPortalLeavesNothing(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		p.Publish(t, p.portal, true)
		root, all := p.fill(t)
		other := newTestPortal(t, p.Stack, "handbook-2") // its keys begin like those of the deleted portal
		other.create(t, "stays", nil)
		cursor := p.send(t, p.to("listCategories").Query("?limit=2"), nil).Body["meta"].(object)["next_cursor"]
		another := p.NewMember(t, p.portal)
		p.AddStrangers(t, p.portal, 50) // more than one transaction ends

		_, err := p.portals(goOn).Delete(t.Context(), p.portal, false)
		expect.Equal(t, errors.Is(err, portal.ErrHasCategories), true, "refused because of its categories")
		expect.Contains(t, err.Error(), fmt.Sprintf("has %d categories", all), "the refusal")
		expect.Equal(t, p.send(t, p.to("listCategories"), nil).Status, http.StatusOK, "status after a refusal")

		d, err := p.portals(goOn).Delete(t.Context(), p.portal, true)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, d, portal.Deletion{Members: 52, Categories: all}, "deleted")
		expect.Len(t, p.left(t), 0)
		expect.Equal(t, p.send(t, p.to("listCategories"), nil).Status, http.StatusForbidden, "status for a member")
		_, err = p.portals(goOn).Delete(t.Context(), p.portal, true)
		expect.Not(t, err, nil, "the error of another deletion")
		p.MustBeWhole(t)

		p.NewPortal(t, 1, "handbook", "en", "es", "fr")
		p.AddMember(t, p.portal, p.memberID(t))
		expect.Len(t, p.list(t, ""), 0, "categories of the new portal")
		expect.Len(t, p.list(t, fmt.Sprint("?cursor=", cursor)), 0, "its categories behind a cursor of the old one")
		shown := p.send(t, p.to("getCategory", root), nil)
		expect.Equal(t, shown.Status, http.StatusNotFound, "status of a category of the old one")
		expect.Equal(t, p.sendAs(t, another, p.to("listCategories"), nil).Status,
			http.StatusForbidden, "status for another member of the old one")
		expect.Equal(t, p.read(t, p.to("listPublicCategories")).Status, http.StatusNotFound, "status for readers")
		p.create(t, "root", nil)
		expect.Len(t, other.list(t, ""), 1, "categories of the other portal")
		p.MustBeWhole(t)
	})
}

// TestADeletionGoesOn interrupts a deletion before each of its transactions in turn. Until the deletion is repeated,
// nobody can use the portal, nobody can get its slug, and the check reports the unfinished deletion and nothing else.
func TestADeletionGoesOn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		for n := 1; ; n++ {
			p.Publish(t, p.portal, true)
			p.fill(t)
			_, err := p.portals(func(transaction int) bool { return transaction == n }).
				Delete(t.Context(), p.portal, true)
			if err == nil {
				expect.AtLeast(t, n, 6, "transactions")
				return
			}
			what := fmt.Sprintf("stopped before transaction %d: ", n)
			report := p.Check(t, check.Options{Pause: time.Millisecond})
			if n > 1 { // the first one marks the portal
				expect.Len(t, report.Faults, 1, what+"faults")
				for _, f := range report.Faults {
					expect.Contains(t, f.What, "is being deleted", what+"fault")
					expect.Equal(t, f.Do,
						"frontdesk portal delete --account 1 --slug handbook --with-categories", what+"what to do")
				}
				expect.Equal(t, p.send(t, p.to("listCategories"), nil).Status, http.StatusForbidden, what+"status")
				shown := p.read(t, p.to("getPublicCategory", "root"))
				expect.Equal(t, shown.Status, http.StatusNotFound, what+"status for readers")
				store := p.portals(goOn)
				change := portal.Portal{Account: 1, Slug: "handbook", Name: "x", Locales: []string{"en"}}
				_, err = store.Create(t.Context(), change)
				expect.Equal(t, errors.Is(err, portal.ErrExists), true, what+"created again")
				err = store.AddMember(t.Context(), p.portal, p.memberID(t))
				expect.Not(t, err, nil, what+"error of add-member")
				_, err = store.Update(t.Context(), change, nil)
				expect.Not(t, err, nil, what+"error of update")
			}
			if _, err := p.portals(goOn).Delete(t.Context(), p.portal, true); err != nil {
				t.Fatalf("%s%v", what, err)
			}
			expect.Len(t, p.left(t), 0, what+"left")
			p.MustBeWhole(t)
			p.NewPortal(t, 1, "handbook", "en", "es", "fr")
			p.AddMember(t, p.portal, p.memberID(t))
		}
	})
}

// TestNoWriteUnderWayOutlivesThePortal deletes the portal while a member's write is on its way to the table. In half
// of the cases the portal is also made again with the same member. The write is refused and leaves nothing: its
// conditions name something of the old portal that the new one of the same name does not have.
func TestNoWriteUnderWayOutlivesThePortal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, send := range map[string]func(testing.TB, *testPortal, int64) answer{
			"create": func(t testing.TB, p *testPortal, _ int64) answer {
				return p.post(t, object{"name": "New", "slug": "new"})
			},
			"create below another one": func(t testing.TB, p *testPortal, root int64) answer {
				return p.post(t, object{"name": "New", "slug": "new", "parent_category_id": root})
			},
			"update": func(t testing.TB, p *testPortal, root int64) answer {
				return p.update(t, root, object{"slug": "new", "locale": "es", "position": 1})
			},
			"reorder": func(t testing.TB, p *testPortal, root int64) answer {
				return p.reorder(t, positionsOf([]int64{root}, 1))
			},
			"delete": func(t testing.TB, p *testPortal, root int64) answer { return p.delete(t, root) },
		} {
			for _, again := range []bool{false, true} {
				localtest.Case(t, fmt.Sprintf("%s, made again: %t", name, again), func(t testing.TB) {
					p := start(t)
					root := p.create(t, "root", nil)
					done := false
					p.AWSProxy().Inject(fixture.Meanwhile("TransactWriteItems", func() {
						done = true
						if _, err := p.portals(goOn).Delete(t.Context(), p.portal, true); err != nil {
							t.Error(err)
						}
						if again {
							p.NewPortal(t, 1, "handbook", "en", "es", "fr")
							p.AddMember(t, p.portal, p.memberID(t))
						}
					}))
					a := send(t, p, root)
					p.AWSProxy().Inject(nil)
					expect.Equal(t, done, true, "a write was under way")
					expect.AtLeast(t, a.Status, http.StatusBadRequest, "status of "+a.Raw)
					expect.AtMost(t, a.Status, http.StatusUnprocessableEntity, "status of "+a.Raw)
					if again {
						expect.Len(t, p.list(t, ""), 0, "categories of the new portal")
					} else {
						expect.Len(t, p.left(t), 0)
					}
					p.MustBeWhole(t)
				})
			}
		}
	})
}

// TestADeletionSparesAPortalMadeAgain overtakes a deletion before each of its transactions in turn: a second deletion
// finishes, and the portal is made again with a member and categories. The first deletion ends with an error and
// deletes nothing of the new portal. Each transaction has a condition that tells the old portal from the new one.
func TestADeletionSparesAPortalMadeAgain(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		fill := func() { p.create(t, "child", object{"parent_category_id": p.create(t, "root", nil)}) }
		for n := 1; ; n++ {
			fill()
			made := false
			_, err := p.portals(func(transaction int) bool {
				if transaction == n {
					made = true
					if _, err := p.portals(goOn).Delete(t.Context(), p.portal, true); err != nil {
						t.Fatal(err)
					}
					p.NewPortal(t, 1, "handbook", "en", "es", "fr")
					p.AddMember(t, p.portal, p.memberID(t))
					fill()
				}
				return false
			}).Delete(t.Context(), p.portal, true)
			if !made {
				expect.Equal(t, n-1, 6, "transactions of a deletion")
				return
			}
			what := fmt.Sprintf("made again before transaction %d: ", n)
			expect.Not(t, err, nil, what+"error")
			p.send(t, p.to("listCategories"), nil).Is(t, http.StatusOK, nil)
			expect.Len(t, p.list(t, ""), 2, what+"categories")
			p.MustBeWhole(t)
			if _, err := p.portals(goOn).Delete(t.Context(), p.portal, true); err != nil {
				t.Fatal(err)
			}
			p.NewPortal(t, 1, "handbook", "en", "es", "fr")
			p.AddMember(t, p.portal, p.memberID(t))
		}
	})
}

// TestACategoryThatComesMeanwhileStays deletes an empty portal without --with-categories while a member creates a
// category. The category arrives before the portal is marked, or before the memberships end. The deletion refuses: at
// once, or when it is repeated after an interruption.
func TestACategoryThatComesMeanwhileStays(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			arrives int  // the category arrives before this transaction of the deletion
			stops   int  // the deletion is interrupted before this transaction; 0 means never
			member  bool // whether the member stays
		}{
			"before the portal is marked":                        {1, 0, true},
			"before the portal is marked, and interrupted":       {1, 2, true},
			"before the members' memberships":                    {2, 0, false},
			"before the members' memberships, which interrupts":  {2, 2, true},
			"before the members' memberships, interrupted later": {2, 3, false},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				p := start(t)
				underWay, arrive, created := make(chan struct{}), make(chan struct{}), make(chan answer)
				p.AWSProxy().Inject(fixture.Meanwhile("TransactWriteItems", func() {
					close(underWay)
					<-arrive
				}))
				go func() { created <- p.post(t, object{"name": "Root", "slug": "root"}) }()
				<-underWay
				_, err := p.portals(func(n int) bool {
					if n == c.arrives {
						close(arrive)
						(<-created).Is(t, http.StatusOK, nil)
					}
					return n == c.stops
				}).Delete(t.Context(), p.portal, false)
				p.AWSProxy().Inject(nil)
				if c.stops > 0 {
					expect.Equal(t, errors.Is(err, portal.ErrHasCategories), false, "refused though it was interrupted")
					_, err = p.portals(goOn).Delete(t.Context(), p.portal, false)
				}
				expect.Equal(t, errors.Is(err, portal.ErrHasCategories), true, "refused because of a category")
				status := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[c.member]
				expect.Equal(t, p.send(t, p.to("listCategories"), nil).Status, status, "status for the member")
				p.AddMember(t, p.portal, p.memberID(t))
				expect.Len(t, p.list(t, ""), 1, "categories")
				p.MustBeWhole(t)
			})
		}
	})
}

// TestADeletionWithCategoriesIsNotTakenBack runs two deletions. The one without categories meets a category and would
// take the mark back. By then the other one has begun to delete the categories, so the mark has to stay.
func TestADeletionWithCategoriesIsNotTakenBack(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		_, err := p.portals(func(n int) bool {
			switch n {
			case 1: // the mark
				p.create(t, "child", object{"parent_category_id": p.create(t, "root", nil)})
			case 2: // the mark is taken back
				stops := func(transaction int) bool { return transaction == 4 } // when the records are deleted
				_, err := p.portals(stops).Delete(t.Context(), p.portal, true)
				expect.Not(t, err, nil, "error of the deletion that is interrupted")
			}
			return false
		}).Delete(t.Context(), p.portal, false)
		expect.Not(t, err, nil, "error of the deletion without categories")
		expect.Equal(t, p.send(t, p.to("listCategories"), nil).Status, http.StatusForbidden, "status for the member")
		if err := p.portals(goOn).AddMember(t.Context(), p.portal, p.memberID(t)); err == nil {
			t.Error("the portal got a member")
		}
		if _, err := p.portals(goOn).Delete(t.Context(), p.portal, false); err != nil {
			t.Fatal(err)
		}
		expect.Len(t, p.left(t), 0)
		p.MustBeWhole(t)
	})
}

// TestALateAttemptOfADeletionDeletesNothingElse delays the first attempt of each write of a deletion, as a slow network
// does. They arrive when the slug belongs to a new portal, and a new category has the slug of a deleted one.
func TestALateAttemptOfADeletionDeletesNothingElse(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		p.fill(t)
		arrive := p.DelayOperator(t, func(operators table.Table) {
			portals := portal.Store{Table: operators, Settle: time.Millisecond}
			if _, err := portals.Delete(t.Context(), p.portal, true); err != nil {
				t.Fatal(err)
			}
		})
		p.NewPortal(t, 1, "handbook", "en", "es", "fr")
		p.AddMember(t, p.portal, p.memberID(t))
		p.create(t, "root", nil)
		want := p.send(t, p.to("listCategories"), nil)
		arrive()
		expect.Equal(t, p.send(t, p.to("listCategories"), nil).Raw, want.Raw, "the list")
		p.MustBeWhole(t)
	})
}
