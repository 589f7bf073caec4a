package mail

import (
	"encoding/json"
	"log/slog"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/delivery"
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

// answer answers a mail. Package api logs the code and the cause of an error, never the reason: a reason may hold
// addresses. The log gets the ids that SES returned even where the record could not be written: they are then the only
// trace of the mail.
func answer(r *api.Request, o delivery.Outcome) (api.Response, error) {
	if len(o.Taken) > 0 {
		r.Log(slog.Any("ses_message_ids", o.Taken))
	}
	if o.Fault != nil {
		r.Fault(o.Fault)
	}
	if _, rejected := delivery.AsRejected(o.Err); o.Err != nil && !rejected {
		return api.Response{}, o.Err
	}
	r.Log(slog.String("outcome", string(o.Answer.Status)))
	return api.Response{Body: o.Answer}, o.Err
}
