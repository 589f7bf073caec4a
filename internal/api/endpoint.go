package api

import (
	"cmp"
	"context"
)

// Endpoint is an endpoint for callers that have to authenticate. It tells a client what is wrong in one order: first
// that it is nobody who may do this, then what is malformed, then all else, such as that nothing is at the path. So a
// stranger learns nothing else from it.
//
// What a request asks for is decoded first all the same, because it is read in the round trip that authenticates.
type Endpoint[Input, Caller any] struct {
	// Decode gives what a request asks for, from its path, its query string and its body. Its error is told once the
	// caller is authenticated. Nil is for an endpoint that is not asked for anything else than its path says.
	Decode func(*Request) (Input, error)
	// Authenticate gives who calls, and what was read together with that. It is the only step that reads for a caller
	// who may turn out to be a stranger. Of a malformed request it gets the zero Input.
	Authenticate func(context.Context, *Request, Input) (Caller, error)
	// Answer does what is asked for.
	Answer func(context.Context, *Request, Caller, Input) (Response, error)
}

// Handle is the endpoint's [Handler].
func (e Endpoint[Input, Caller]) Handle(ctx context.Context, r *Request) (Response, error) {
	input, malformed := e.decode(r)
	caller, err := e.Authenticate(ctx, r, input)
	if err := cmp.Or(err, malformed); err != nil {
		return Response{}, err
	}
	return e.Answer(ctx, r, caller, input)
}

// decode gives the zero Input where a request is malformed.
func (e Endpoint[Input, Caller]) decode(r *Request) (input Input, malformed error) {
	if e.Decode == nil {
		return input, nil
	}
	decoded, malformed := e.Decode(r)
	if malformed != nil {
		return input, malformed
	}
	return decoded, nil
}
