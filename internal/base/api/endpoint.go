package api

import (
	"cmp"
	"context"
)

// Endpoint is an endpoint whose callers have to authenticate. It reports errors in a fixed order: first those of
// authentication, then a malformed request, then everything else, such as 404. So a stranger learns only that they may
// not call it.
//
// The request is decoded before that all the same: one round trip reads both the credential and what the request
// asks for.
type Endpoint[Input, Caller any] struct {
	// Decode reads what the request asks for from its path, query string and body. Its error is returned after
	// authentication errors and before all others. Nil means that the path says everything.
	Decode func(*Request) (Input, error)
	// Authenticate returns the caller, along with anything else that the same round trip read. It is the only step that
	// reads from the table for a caller who may be a stranger. If the request is malformed, Input is its zero value.
	Authenticate func(context.Context, *Request, Input) (Caller, error)
	// Answer does what the request asks for. Only authenticated callers with a well-formed request get here.
	Answer func(context.Context, *Request, Caller, Input) (Response, error)
}

// Handle runs the three steps. It is the endpoint's [Handler].
func (e Endpoint[Input, Caller]) Handle(ctx context.Context, r *Request) (Response, error) {
	input, malformed := e.decode(r)
	caller, err := e.Authenticate(ctx, r, input)
	if err := cmp.Or(err, malformed); err != nil {
		return Response{}, err
	}
	return e.Answer(ctx, r, caller, input)
}

// decode calls Decode. It returns the zero Input with an error, never a half-decoded one.
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
