package doctor

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"
)

// lookupTimeout bounds a look-up of one name.
const lookupTimeout = 5 * time.Second

// resolver looks up the TXT records of names, and asks for each name once.
type resolver struct {
	lookup func(ctx context.Context, name string) ([]string, error)
	asked  map[string]answer
}

type answer struct {
	texts []string
	err   error
}

// texts returns the TXT records of a name; none if the name does not exist. An error means that the DNS could not
// be asked.
func (r resolver) texts(ctx context.Context, name string) ([]string, error) {
	if known, ok := r.asked[name]; ok {
		return known.texts, known.err
	}
	ctx, stop := context.WithTimeout(ctx, lookupTimeout)
	defer stop()
	texts, err := r.lookup(ctx, name+".") // the dot ends the name, so that no search domain is added
	// A name without records is an answer, not a failure.
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		texts, err = nil, nil
	}
	r.asked[name] = answer{texts, err}
	return texts, err
}

// records returns the TXT records of a name that begin with a version, such as v=spf1.
func (r resolver) records(ctx context.Context, name, version string) ([]string, error) {
	texts, err := r.texts(ctx, name)
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		rest, ok := strings.CutPrefix(text, version)
		return !ok || rest != "" && !strings.ContainsAny(rest[:1], " ;")
	}), err
}

// tags returns the tags of a DKIM or DMARC record, such as p=none: name -> value. RFC 6376 section 3.2
func tags(record string) map[string]string {
	values := map[string]string{}
	for tag := range strings.SplitSeq(record, ";") {
		name, value, _ := strings.Cut(tag, "=")
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return values
}
