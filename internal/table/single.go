package table

import (
	"errors"

	"frontdesk/internal/api"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var errConflict = api.Errorf(api.Conflict, "Too many changes at once, please try again")

// Single is the error of a write of one item as a client is told of it: where the write still met transactions at its
// last attempt it has the code [api.Conflict], as the error of [Tx.Run] has.
func Single(err error) error {
	if _, met := errors.AsType[*types.TransactionConflictException](err); met {
		return errConflict
	}
	return err
}
