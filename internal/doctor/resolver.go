package doctor

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"
)

// lookupTimeout is how long the DNS may take to answer for one name.
const lookupTimeout = 5 * time.Second

// resolver asks the DNS for the TXT records of names, for each name once.
type resolver struct {
	lookup func(ctx context.Context, name string) ([]string, error)
	asked  map[string]answer
}

type answer struct {
	texts []string
	err   error
}

// texts are the TXT records of a name, none where it has none. An error says that the DNS could not be asked.
func (r resolver) texts(ctx context.Context, name string) ([]string, error) {
	if known, ok := r.asked[name]; ok {
		return known.texts, known.err
	}
	ctx, stop := context.WithTimeout(ctx, lookupTimeout)
	defer stop()
	texts, err := r.lookup(ctx, name+".") // with the dot it is a whole name, which no search domain is added to
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		texts, err = nil, nil
	}
	r.asked[name] = answer{texts, err}
	return texts, err
}

// records are those of a name's TXT records that begin with a version, such as v=spf1.
func (r resolver) records(ctx context.Context, name, version string) ([]string, error) {
	texts, err := r.texts(ctx, name)
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		rest, ok := strings.CutPrefix(text, version)
		return !ok || rest != "" && !strings.ContainsAny(rest[:1], " ;")
	}), err
}

// tags are those of a record of DKIM or DMARC, such as p=none: name -> value. RFC 6376 section 3.2
func tags(record string) map[string]string {
	values := map[string]string{}
	for tag := range strings.SplitSeq(record, ";") {
		name, value, _ := strings.Cut(tag, "=")
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return values
}
