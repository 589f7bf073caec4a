package category_test

import (
	"net/http"
	"testing"

	"frontdesk/internal/prove/localtest"
)

// TestNoWriteIsUndoneByItsOwnRepetition delays the first attempt of each write of a request. It arrives when the
// request has been answered and another one has succeeded since. The late attempt must change nothing.
func TestNoWriteIsUndoneByItsOwnRepetition(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		type steps struct {
			first func() answer // whose attempts are delayed
			then  func() answer
		}
		for name, prepare := range map[string]func(t testing.TB) steps{
			"create, and its deletion": func(t testing.TB) steps {
				parent := p.create(t, "parent", nil)
				var made answer
				return steps{
					first: func() answer {
						made = p.post(t, object{"name": "made", "slug": "made", "parent_category_id": parent})
						return made
					},
					then: func() answer { return p.delete(t, idOf(made.Body["payload"])) },
				}
			},
			"update of a name, and another name": func(t testing.TB) steps {
				c := p.create(t, "named", nil)
				return steps{
					first: func() answer { return p.update(t, c, object{"name": "First"}) },
					then:  func() answer { return p.update(t, c, object{"name": "Then"}) },
				}
			},
			// Late, the first update would take the slug from the category again, and leave two owners of it.
			"update of a slug, and the one of before": func(t testing.TB) steps {
				c := p.create(t, "before", nil)
				return steps{
					first: func() answer { return p.update(t, c, object{"slug": "after"}) },
					then:  func() answer { return p.update(t, c, object{"slug": "before"}) },
				}
			},
			"a move, and one back": func(t testing.TB) steps {
				a, b := p.create(t, "a", nil), p.create(t, "b", nil)
				c := p.create(t, "moved", object{"parent_category_id": a, "related_category_ids": []int64{b}})
				return steps{
					first: func() answer {
						return p.update(t, c, object{"parent_category_id": b, "related_category_ids": []int64{a}})
					},
					then: func() answer {
						return p.update(t, c, object{"parent_category_id": a, "related_category_ids": []int64{b}})
					},
				}
			},
			// A late reorder would move the categories back.
			"reorder, and reorder": func(t testing.TB) steps {
				ids := []int64{p.create(t, "o1", nil), p.create(t, "o2", nil), p.create(t, "o3", nil)}
				return steps{
					first: func() answer { return p.reorder(t, positionsOf(ids, 1)) },
					then:  func() answer { return p.reorder(t, positionsOf(ids, 11)) },
				}
			},
			"delete with links, and the slug has another category": func(t testing.TB) steps {
				gone := p.create(t, "gone", nil)
				p.link(t, gone, 30)
				return steps{
					first: func() answer { return p.delete(t, gone) },
					then:  func() answer { return p.post(t, object{"name": "gone", "slug": "gone"}) },
				}
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := prepare(t)
				arrive := p.DelayFirstAttempts(t, func() {
					if a := s.first(); a.Status != http.StatusOK {
						t.Fatalf("first: %d %v", a.Status, a.Body)
					}
				})
				if a := s.then(); a.Status != http.StatusOK {
					t.Fatalf("then: %d %v", a.Status, a.Body)
				}
				want := p.send(t, p.to("listCategories"), nil)
				arrive()
				if now := p.send(t, p.to("listCategories"), nil); now.Raw != want.Raw {
					t.Errorf("listed %s, want %s", now.Raw, want.Raw)
				}
				p.MustBeWhole(t)
			})
		}
	})
}
