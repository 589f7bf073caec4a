package attempts

import (
	"context"

	"frontdesk/internal/base/table"
)

// Kinds declares the counts of failed sign-ins. It is for operators.
func Kinds() []table.ItemKind {
	return []table.ItemKind{{
		Name:    table.SignInAttempts("").Kind(),
		Read:    table.DecodeAs[Record](nil, nil),
		Privacy: table.Privacy{Forget: forget},
	}}
}

// forget deletes the count for an address, which would end within 15 minutes anyway.
func forget(ctx context.Context, t table.Table, s table.Stored, p table.Person) (changed bool, err error) {
	if s.Key != table.SignInAttempts(p.Address) {
		return false, nil
	}
	n, err := t.DeleteAll(ctx, s.Key)
	return n > 0, err
}
