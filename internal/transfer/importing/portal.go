package importing

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"
)

// writePortals creates the portals of the file that do not exist. It returns all portals that lines name, by
// their places.
func (w *writing) writePortals(ctx context.Context) ([]portal.Portal, error) {
	here := make([]portal.Portal, len(w.places))
	for place, d := range w.destinations {
		if d.there != nil {
			here[place] = *d.there
		}
		of, inFile := w.portals[place]
		if !inFile {
			continue
		}
		became, what, err := outcome(0), "", error(nil)
		if d.there == nil {
			here[place], err = w.createPortal(ctx, of.of)
		} else {
			became, what, err = w.comparePortal(ctx, of.of, *d.there)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", of.Line, err)
		}
		w.count(transfer.KindPortal, len(w.portals), became, of.Line, what)
	}
	return here, nil
}

// createPortal creates a portal, as fast as the pace allows.
func (w *writing) createPortal(ctx context.Context, of portal.Portal) (portal.Portal, error) {
	if err := w.pace.wait(ctx); err != nil {
		return portal.Portal{}, err
	}
	return portal.Store{Table: w.table}.Import(ctx, of)
}

// comparePortal compares a portal of the file with the one that exists. It does not compare former locales, because an
// update derives them from the locales.
func (w *writing) comparePortal(
	ctx context.Context, of, there portal.Portal,
) (became outcome, what string, err error) {
	fields := differing(map[string]bool{
		"name":           of.Name != there.Name,
		"locales":        !slices.Equal(of.Locales, there.Locales),
		"default_locale": of.DefaultLocale != there.DefaultLocale,
		"public":         of.Public != there.Public,
	})
	switch {
	case fields == "":
		return unchanged, "", nil
	case !w.options.Update:
		return differs, fmt.Sprintf("%s differs: %s", of.Key(), fields), nil
	}
	if err := w.pace.wait(ctx); err != nil {
		return 0, "", err
	}
	_, err = portal.Store{Table: w.table}.Update(ctx, of, &of.Public)
	return changed, "", err
}

// writeMembers makes users members of portals.
func (w *writing) writeMembers(ctx context.Context, portals []portal.Portal, userHere func(id.ID) id.ID) error {
	return writeOthers(ctx, w, transfer.KindMember,
		func(of transfer.Member) table.Key {
			return table.Portal{Account: of.Account, Slug: of.Portal}.Member(userHere(of.User))
		},
		func(of transfer.Member, there bool, _ table.Items) (outcome, string, error) {
			if there {
				return unchanged, "", nil
			}
			if err := w.pace.wait(ctx); err != nil {
				return 0, "", err
			}
			to := portals[w.placeAt[table.Portal{Account: of.Account, Slug: of.Portal}]]
			return created, "", portal.Store{Table: w.table}.ImportMember(ctx, to, portal.Membership{
				User: userHere(of.User), App: mapped(w.options.Apps, of.App), CreatedAt: of.CreatedAt,
			})
		})
}

// writeOthers writes the records of a kind that no other record names. key returns where such a record is stored, and
// write learns whether it exists.
func writeOthers[T transfer.Record](
	ctx context.Context, w *writing, kind transfer.Kind, key func(T) table.Key,
	write func(of T, there bool, items table.Items) (outcome, string, error),
) error {
	all := w.others[kind]
	return inLanes(ctx, len(all), func(i int) id.ID { return all[i].id }, func(ctx context.Context, some []int) error {
		records := make([]T, len(some))
		keys := make([]table.Key, len(some))
		for n, i := range some {
			of, err := parse[T](w.file, all[i].Position)
			if err != nil {
				return err
			}
			records[n], keys[n] = of, key(of)
		}
		items, err := w.table.Read(ctx, keys...)
		if err != nil {
			return err
		}
		for n, i := range some {
			_, there := items[keys[n]]
			became, what, err := write(records[n], there, items)
			if err != nil {
				return fmt.Errorf("line %d: %w", all[i].Line, err)
			}
			w.count(kind, len(all), became, all[i].Line, what)
		}
		return nil
	})
}
