package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"frontdesk/internal/service/mail/base64"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Content is a message or a part of one. Any number of readers may use it at once. Reading fails only at its end.
type Content interface {
	io.ReaderAt
	Size() int64
}

// Message is a finished message: the tail follows the head. The head is read and encoded each time it is sent, so
// that no second copy of its size is in memory. If there is a tail, the length of the head is a multiple of 3: the
// base64 of both parts then joins without padding in between.
type Message struct {
	Head Content
	Tail Tail
}

// Size returns the length of a message in bytes, before base64.
func (m Message) Size() int {
	if m.Head == nil {
		return m.Tail.size
	}
	return int(m.Head.Size()) + m.Tail.size
}

// Tail is the end that several messages share. It is stored in base64, as SES gets it, so that it is encoded only once.
type Tail struct {
	encoded []byte
	size    int // before it was encoded
}

// NewTail encodes the end of a message.
func NewTail(tail Content) Tail {
	s := &spliced{message: Message{Head: tail}}
	encoded := make([]byte, s.size())
	_, _ = s.ReadAt(encoded, 0)
	return Tail{encoded, int(tail.Size())}
}

// streamRaw returns an SDK option that encodes a raw message while the call sends it, even when many calls send the
// same message at once. The call's input must have an empty message.
func streamRaw(m Message) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) (err error) {
		s := &rawSerializer{message: m}
		s.sdk, err = stack.Serialize.Swap(s.ID(), s)
		return err
	}
}

// rawSerializer replaces the SDK's serializer, which writes the base64 of the message into a buffer that grows by
// doubling. It lets that serializer write a request around an empty message, and inserts the real message into the
// result. The message is encoded whenever the request is read: at each attempt once for the signature and once to
// send it.
type rawSerializer struct {
	sdk     middleware.SerializeMiddleware
	message Message
}

// ID returns the name that the SDK looks up in the stack to find the serializer of any operation.
func (*rawSerializer) ID() string { return "OperationSerializer" }

// HandleSerialize implements [middleware.SerializeMiddleware].
func (s *rawSerializer) HandleSerialize(
	ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler,
) (middleware.SerializeOutput, middleware.Metadata, error) {
	withMessage := func(ctx context.Context, in middleware.SerializeInput) (
		middleware.SerializeOutput, middleware.Metadata, error,
	) {
		whole, err := insert(in.Request, s.message)
		if err != nil {
			return middleware.SerializeOutput{}, middleware.Metadata{}, &smithy.SerializationError{Err: err}
		}
		in.Request = whole
		return next.HandleSerialize(ctx, in)
	}
	return s.sdk.HandleSerialize(ctx, in, middleware.SerializeHandlerFunc(withMessage))
}

// emptyRaw is how the SDK writes an empty raw message. It occurs exactly once in a request: inside a JSON string each
// of these quotes would have a backslash before it, and no other field is called Raw.
const emptyRaw = `"Raw":{"Data":""}`

// insert returns the request with the message in the place of the empty one.
func insert(request any, message Message) (*smithyhttp.Request, error) {
	r, ok := request.(*smithyhttp.Request)
	if !ok {
		return nil, fmt.Errorf("unknown transport type %T", request)
	}
	document, err := io.ReadAll(r.GetStream())
	if err != nil {
		return nil, fmt.Errorf("read the request around the message: %w", err)
	}
	at := bytes.Index(document, []byte(emptyRaw))
	if at < 0 {
		return nil, errors.New("the request has no place for the message")
	}
	at += len(emptyRaw) - len(`"}`)
	body := &spliced{before: document[:at], message: message, after: document[at:]}
	return r.SetStream(io.NewSectionReader(body, 0, body.size()))
}

// spliced is a JSON document with the base64 of a message inside. It encodes the head of the message while it is
// read. Reading changes nothing, so that any number of readers may use it at once.
type spliced struct {
	before  []byte
	message Message
	after   []byte
}

// size returns the length of the whole document in bytes.
func (s *spliced) size() int64 {
	return int64(len(s.before) + s.headSize() + len(s.message.Tail.encoded) + len(s.after))
}

func (s *spliced) headSize() int { return base64.EncodedLen(int(s.message.Head.Size())) }

// ReadAt implements [io.ReaderAt].
func (s *spliced) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		at := offset + int64(n)
		if at >= s.size() {
			return n, io.EOF
		}
		n += s.read(p[n:], int(at))
	}
	return n, nil
}

// read copies at least one byte from offset at on. It stops at the end of the part that at is in: before, head, tail
// or after.
func (s *spliced) read(p []byte, at int) int {
	if at < len(s.before) {
		return copy(p, s.before[at:])
	}
	at -= len(s.before)
	if head := s.headSize(); at >= head {
		at -= head
		if tail := s.message.Tail.encoded; at < len(tail) {
			return copy(p, tail[at:])
		}
		return copy(p, s.after[at-len(s.message.Tail.encoded):])
	}
	// Base64 writes three bytes as four characters, RFC 4648 section 4.
	plain := blocks.Get().(*[blockSize]byte)
	defer blocks.Put(plain)
	if groups := len(p) / 4; at%4 == 0 && groups > 0 {
		n, _ := s.message.Head.ReadAt(plain[:min(3*groups, blockSize)], int64(at/4*3))
		base64.Encode(p, plain[:n])
		return base64.EncodedLen(n)
	}
	// The reader begins inside a group of four characters, or has less room than one: encode this group alone.
	var group [4]byte
	n, _ := s.message.Head.ReadAt(plain[:3], int64(at/4*3))
	base64.Encode(group[:], plain[:n])
	return copy(p, group[at%4:])
}

// blockSize is the number of bytes that are encoded at a time. Their base64 has 32 KiB, which is the size of
// io.Copy's buffer.
const blockSize = 24 << 10

var blocks = sync.Pool{New: func() any { return new([blockSize]byte) }}
