package dynamodb

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"sync"
	"time"

	"frontdesk/internal/develop/local/awsform"
)

// Transport returns a transport for calls to a database.
func Transport() *http.Transport {
	return &http.Transport{
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     30 * time.Second,
		DisableCompression:  true, // so that the SDK's requests and answers pass unchanged
	}
}

// copying are buffers for answers. Without them each call would take a new one, an eighth of all memory that a call
// takes.
var copying buffers

// buffers implements [httputil.BufferPool].
type buffers struct{ free sync.Pool }

const bufferSize = 32 << 10

func (b *buffers) Get() []byte {
	if free, ok := b.free.Get().(*[bufferSize]byte); ok {
		return free[:]
	}
	return make([]byte, bufferSize)
}

func (b *buffers) Put(used []byte) { b.free.Put((*[bufferSize]byte)(used)) }

// Forward passes calls on to the server at a base URL, with the operator's access key. It panics if server is no URL.
func Forward(server string, by http.RoundTripper) http.Handler {
	database, err := url.Parse(server)
	if err != nil {
		panic(fmt.Sprintf("forward to the database: %v", err))
	}
	return &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(database)
			replaceAccessKeyID(p.Out.Header, AccessKeyID)
		},
		Transport:  by,
		BufferPool: &copying,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			awsform.New(http.StatusInternalServerError, awsform.DynamoDB+"InternalServerError",
				"the database does not answer: "+err.Error()).Write(w, awsform.JSON)
		},
	}
}

// credential matches the access key id in an Authorization header: "AWS4-HMAC-SHA256 Credential=ID/20060102/…".
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
var credential = regexp.MustCompile(`\bCredential=([^/,\s]+)`)

// CallerOf returns the access key id with which a call is signed, or "" if it is not signed.
func CallerOf(h http.Header) string {
	if match := credential.FindStringSubmatch(h.Get("Authorization")); match != nil {
		return match[1]
	}
	return ""
}

// replaceAccessKeyID signs a request as id. It removes the session token, which belongs to the old credentials.
func replaceAccessKeyID(h http.Header, id string) {
	h.Set("Authorization", credential.ReplaceAllLiteralString(h.Get("Authorization"), "Credential="+id))
	h.Del("X-Amz-Security-Token")
}
