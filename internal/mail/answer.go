package mail

import (
	"encoding/json"
	"errors"
	"log/slog"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/rejection"
)

// replay repeats the final answer of an earlier request. The header tells the client that nothing was sent now.
func replay(r *api.Request, first string) api.Response {
	r.Log(slog.Bool("replayed", true))
	var a delivery.Answer
	if json.Unmarshal([]byte(first), &a) == nil && a.Code != "" {
		r.Log(slog.String("code", string(a.Code)))
	}
	return api.Response{Body: []byte(first + "\n"), Header: map[string]string{"idempotent-replayed": "true"}}
}

// refuse is the answer to a mail that nobody was sent because of err.
func refuse(r *api.Request, err error, warnings []string) (api.Response, error) {
	return answer(r, delivery.Outcome{Answer: delivery.Refusal(err, warnings), Err: err})
}

// answer answers a mail. A rejected mail is an answer with status 200; any other error becomes an answer of package
// api. The log gets the code and the cause, never the reason: a reason may hold addresses. It gets the ids that SES
// returned even where the record could not be written: they are then the only trace of the mail.
func answer(r *api.Request, o delivery.Outcome) (api.Response, error) {
	if len(o.Taken) > 0 {
		r.Log(slog.Any("ses_message_ids", o.Taken))
	}
	if o.Fault != nil {
		r.Fault(o.Fault)
	}
	rejected, ok := errors.AsType[*rejection.Error](o.Err)
	switch {
	case ok:
		r.Log(slog.String("outcome", string(delivery.Failed)), slog.String("code", string(rejected.Code)))
		if rejected.Cause != "" {
			r.Log(slog.String("cause", rejected.Cause))
		}
		if rejected.Outage {
			r.LogError(slog.Bool("outage", true))
		}
	case o.Err != nil:
		return api.Response{}, o.Err
	default:
		r.Log(slog.String("outcome", string(delivery.Success)))
	}
	return api.Response{Body: o.Answer}, nil
}
