package gateway

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/develop/local/samtemplate"
)

// Router finds a request's route as an HTTP API does: the most specific path first, and for the same path a method
// before ANY.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
type Router []pattern

// pattern is a route whose path is split into segments.
type pattern struct {
	samtemplate.Route
	segments []segment
}

// segment is one part of a route's path: a literal, {name}, or {name+} at the end.
type segment struct {
	kind segmentKind
	text string // the literal, or the variable's name
}

type segmentKind byte

// The kinds of segments, the most specific one first.
const (
	literal segmentKind = iota
	variable
	greedy
)

// NewRouter sorts the routes once, so that the first match is the right one.
func NewRouter(routes []samtemplate.Route) Router {
	var r Router
	for _, route := range routes {
		p := pattern{Route: route}
		for _, text := range strings.Split(strings.TrimPrefix(route.Path, "/"), "/") {
			p.segments = append(p.segments, parseSegment(text))
		}
		r = append(r, p)
	}
	slices.SortStableFunc(r, pattern.compare)
	return r
}

// parseSegment parses one part of a path: "a", "{a}" or "{a+}".
func parseSegment(text string) segment {
	name, ok := strings.CutPrefix(text, "{")
	if !ok {
		return segment{literal, text}
	}
	name = strings.TrimSuffix(name, "}")
	if name, ok := strings.CutSuffix(name, "+"); ok {
		return segment{greedy, name}
	}
	return segment{variable, name}
}

// compare sorts the more specific pattern first. The first segment that differs in kind decides, then the method: ANY
// comes last.
func (p pattern) compare(q pattern) int {
	return cmp.Or(
		slices.CompareFunc(p.segments, q.segments, func(a, b segment) int { return cmp.Compare(a.kind, b.kind) }),
		cmp.Compare(p.methodKind(), q.methodKind()),
	)
}

// methodKind ranks a method: ANY counts as a variable.
func (p pattern) methodKind() segmentKind {
	if p.Method == "ANY" {
		return variable
	}
	return literal
}

// Match finds the route for a path as it was sent, and the values of the path's variables. It decodes the path before
// matching, so an escaped slash ends a segment like any other. A variable is never empty.
func (r Router) Match(method, escapedPath string) (samtemplate.Route, map[string]string, bool) {
	path, err := url.PathUnescape(escapedPath)
	if err != nil {
		return samtemplate.Route{}, nil, false
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for _, p := range r {
		if p.Method != method && p.Method != "ANY" {
			continue
		}
		if variables, ok := p.match(parts); ok {
			return p.Route, variables, true
		}
	}
	return samtemplate.Route{}, nil, false
}

// match compares the parts of a path with the pattern. A greedy variable takes all the rest, which must not be empty.
func (p pattern) match(parts []string) (map[string]string, bool) {
	variables := map[string]string{}
	for i, s := range p.segments {
		switch {
		case i >= len(parts):
			return nil, false
		// A greedy variable is always the last segment.
		case s.kind == greedy:
			rest := strings.Join(parts[i:], "/")
			variables[s.text] = rest
			return variables, rest != ""
		case s.kind == variable:
			if parts[i] == "" {
				return nil, false
			}
			variables[s.text] = parts[i]
		case s.text != parts[i]:
			return nil, false
		}
	}
	return variables, len(parts) == len(p.segments)
}
