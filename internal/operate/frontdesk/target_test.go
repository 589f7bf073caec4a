package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestWhatAWSRefuses: the error is one sentence that names the table, and where it is. The SDK's own text has the
// operation, the status and the id of the request in front of the reason.
func TestWhatAWSRefuses(t *testing.T) {
	t.Parallel()
	var code atomic.Value
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"__type": "com.amazonaws.dynamodb.v20120810#%s", "message": "it is so"}`, code.Load())
	}))
	defer database.Close()
	o := &shell{TB: t, session: newSession(nil), file: variablesFile(t, map[string]string{
		"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1", "TABLE_NAME": "desk",
		"AWS_ENDPOINT_URL_DYNAMODB": database.URL,
	})}
	for refusal, want := range map[string]string{
		"ExpiredTokenException":     "AWS does not take your credentials (ExpiredTokenException): sign in again",
		"InvalidClientTokenId":      "AWS does not take your credentials (InvalidClientTokenId): sign in again",
		"AccessDeniedException":     "AccessDeniedException: it is so",
		"ResourceNotFoundException": "it does not exist",
	} {
		code.Store(refusal)
		if _, err := o.frontdesk("mail-key", "list"); err == nil ||
			err.Error() != "table desk at "+database.URL+": "+want {
			t.Errorf("%s: %v, want %s", refusal, err, want)
		}
	}
}
