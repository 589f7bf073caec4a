package table

import (
	"errors"

	"frontdesk/internal/api"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var errConflict = api.Errorf(api.Conflict, "Too many changes at once, please try again")

// Single is the error of a write of one item for its caller: one that still met transactions after its last
// attempt has the code [api.Conflict], as that of a [Tx] has.
func Single(err error) error {
	if _, met := errors.AsType[*types.TransactionConflictException](err); met {
		return errConflict
	}
	return err
}
