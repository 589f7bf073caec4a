package account

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/ses"

	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// suppression finds an operation on SES's suppression list, for one address or for all.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_ListSuppressedDestinations.html
func (a *Account) suppression(c call, method, address string) call {
	list := a.SES.Suppressed
	operation := func(action string, serve http.HandlerFunc) call {
		c.action = "ses:" + action
		c.serve = func(w http.ResponseWriter, r *http.Request, _ State) { serve(w, r) }
		return c
	}
	switch {
	case address == "" && method == http.MethodGet:
		return operation("ListSuppressedDestinations", func(w http.ResponseWriter, r *http.Request) {
			listSuppressed(w, r, list.All())
		})
	case address == "" && method == http.MethodPut:
		return operation("PutSuppressedDestination", func(w http.ResponseWriter, r *http.Request) {
			putSuppressed(w, r, list)
		})
	case method == http.MethodGet:
		return operation("GetSuppressedDestination", func(w http.ResponseWriter, _ *http.Request) {
			var answer *map[string]any
			if s, ok := list.Get(address); ok {
				answer = &map[string]any{"SuppressedDestination": suppressed(s)}
			}
			respond(w, answer)
		})
	case method == http.MethodDelete:
		return operation("DeleteSuppressedDestination", func(w http.ResponseWriter, _ *http.Request) {
			was, err := list.Delete(address)
			if err != nil {
				internalError(w, err)
				return
			}
			var answer *struct{}
			if was {
				answer = &struct{}{}
			}
			respond(w, answer)
		})
	}
	return c
}

// suppressed describes an address of the list in SES's JSON.
func suppressed(s ses.Suppressed) map[string]any {
	entry := map[string]any{
		"EmailAddress": s.Address, "Reason": s.Reason, "LastUpdateTime": float64(s.At.UnixMilli()) / 1000,
	}
	if s.MessageID != "" {
		entry["Attributes"] = map[string]string{"MessageId": s.MessageID}
	}
	return entry
}

// listSuppressed answers a page of the list. The token of the next page is its first address.
func listSuppressed(w http.ResponseWriter, r *http.Request, all []ses.Suppressed) {
	query := r.URL.Query()
	reasons, from := query["Reason"], query.Get("NextToken")
	size, err := strconv.Atoi(cmp.Or(query.Get("PageSize"), "1000"))
	if err != nil || size < 1 || size > 1000 {
		awsform.New(http.StatusBadRequest, "BadRequestException", "PageSize must be 1 to 1000").
			Write(w, awsform.RESTJSON)
		return
	}
	answer := map[string]any{}
	page := []map[string]any{}
	for _, s := range all {
		// An address that was deleted meanwhile does not matter: the next page begins at the first one that is
		// not smaller.
		if s.Address < from || len(reasons) > 0 && !slices.Contains(reasons, string(s.Reason)) {
			continue
		}
		if len(page) == size {
			answer["NextToken"] = s.Address
			break
		}
		entry := suppressed(s)
		// Only a single address is answered with the mail that caused it.
		delete(entry, "Attributes")
		page = append(page, entry)
	}
	answer["SuppressedDestinationSummaries"] = page
	httpserver.WriteJSON(w, answer)
}

// putSuppressed adds an address by hand. It has no mail that caused it.
func putSuppressed(w http.ResponseWriter, r *http.Request, list *ses.SuppressionList) {
	var in struct {
		EmailAddress string
		Reason       types.SuppressionListReason
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in)
	if err != nil || in.EmailAddress == "" || !slices.Contains(in.Reason.Values(), in.Reason) {
		awsform.New(http.StatusBadRequest, "BadRequestException", "EmailAddress and Reason are required").
			Write(w, awsform.RESTJSON)
		return
	}
	err = list.Put(ses.Suppressed{Address: in.EmailAddress, Reason: in.Reason, At: time.Now().UTC()})
	if err != nil {
		internalError(w, err)
		return
	}
	httpserver.WriteJSON(w, struct{}{})
}

// internalError answers that the list could not be written.
func internalError(w http.ResponseWriter, err error) {
	awsform.New(http.StatusInternalServerError, "InternalServiceErrorException", err.Error()).
		Write(w, awsform.RESTJSON)
}
