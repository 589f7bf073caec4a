package doctor

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/encoding/cbor"
)

// silent answers every call of CloudWatch with nothing, as its history is empty for a while.
type silent struct{ called map[string]int }

func (s silent) Do(r *http.Request) (*http.Response, error) {
	s.called[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]++
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Smithy-Protocol": {"rpc-v2-cbor"}, "Content-Type": {"application/cbor"}},
		Body:       io.NopCloser(bytes.NewReader(cbor.Encode(cbor.Map{}))),
	}, nil
}

// TestRingWaitsForCloudWatch for half a minute, and then says where to look. The alarm is set off once. The clock is
// that of the test, so nobody waits.
func TestRingWaitsForCloudWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := silent{map[string]int{}}
		signed := credentials.NewStaticCredentialsProvider("a", "b", "")
		d := New(aws.Config{Region: "us-east-1", HTTPClient: client, Credentials: signed}, "s")
		d.Alarm = &Alarm{Name: "alarm of mine"}
		began := time.Now()
		f := d.examineRing(t.Context(), &stack{})
		expect.Equal(t, f.State, Unknown)
		expect.Equal(t, f.Says, "alarm of mine was set off, and CloudWatch does not tell yet what became of it")
		expect.Equal(t, f.Mend, "look there: aws --region us-east-1 cloudwatch describe-alarm-history "+
			"--history-item-type Action --alarm-name 'alarm of mine'")
		expect.Equal(t, time.Since(began), ringPatience)
		expect.Equal(t, client.called["SetAlarmState"], 1)
	})
}
