// Package matrix tests what holds for every endpoint in the same way. Each file sends all of [fixture.Requests] under
// one kind of trouble, or measures one thing of them. So an endpoint that has its row there has these tests, too.
package matrix
