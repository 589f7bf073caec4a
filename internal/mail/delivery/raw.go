package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"frontdesk/internal/mail/base64"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Content is a message or one end of it, which any number of readers may read at once. Reading fails at its end alone.
type Content interface {
	io.ReaderAt
	Size() int64
}

// Message is a finished message: its tail follows its head. The head is read and encoded whenever it is sent, so that
// nothing of its size is in memory besides. Its length is a multiple of 3 if there is a tail.
type Message struct {
	Head Content
	Tail Tail
}

// Size is the length of a message in bytes.
func (m Message) Size() int {
	if m.Head == nil {
		return m.Tail.size
	}
	return int(m.Head.Size()) + m.Tail.size
}

// Tail is the end of several messages. It is kept as SES is sent it, so that it is encoded once.
type Tail struct {
	encoded []byte
	size    int // before it was encoded
}

// NewTail encodes a tail.
func NewTail(tail Content) Tail {
	s := &spliced{message: Message{Head: tail}}
	encoded := make([]byte, s.size())
	_, _ = s.ReadAt(encoded, 0)
	return Tail{encoded, int(tail.Size())}
}

// streamRaw makes a call of SES encode a raw message as it sends it, however many calls send it at once. The message
// that the call names must be empty.
func streamRaw(m Message) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) (err error) {
		s := &rawSerializer{message: m}
		s.sdk, err = stack.Serialize.Swap(s.ID(), s)
		return err
	}
}

// rawSerializer takes the place of the SDK's serializer, which writes the base64 of a message into a buffer that
// grows by doubling. It lets that one write the request around an empty message, and puts the message there as it is:
// it is encoded whenever the request is read, at each try once to be signed and once to be sent.
type rawSerializer struct {
	sdk     middleware.SerializeMiddleware
	message Message
}

// ID is the name that every serializer of the SDK has in its stack.
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

// emptyRaw is how the SDK writes an empty raw message. A request has it once, whatever it says: inside a string each of
// these quotes has a backslash before it, and no other field is called Raw.
const emptyRaw = `"Raw":{"Data":""}`

// insert puts a message into a request that was written around an empty one.
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

// spliced is a document with the base64 of a message inside, whose head is encoded as it is read. Reading changes
// nothing, so that any number of readers may read at once.
type spliced struct {
	before  []byte
	message Message
	after   []byte
}

// size is the length of the whole in bytes.
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

// read reads at least one byte, and none beyond the part of the document that it begins in.
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
	// Three bytes of the message are four characters, RFC 4648 section 4.
	plain := blocks.Get().(*[blockSize]byte)
	defer blocks.Put(plain)
	if groups := len(p) / 4; at%4 == 0 && groups > 0 {
		n, _ := s.message.Head.ReadAt(plain[:min(3*groups, blockSize)], int64(at/4*3))
		base64.Encode(p, plain[:n])
		return base64.EncodedLen(n)
	}
	var group [4]byte
	n, _ := s.message.Head.ReadAt(plain[:3], int64(at/4*3))
	base64.Encode(group[:], plain[:n])
	return copy(p, group[at%4:])
}

// blockSize is what is read of a message to be encoded at a time, in bytes: in base64 it is what io.Copy reads at once.
const blockSize = 24 << 10

var blocks = sync.Pool{New: func() any { return new([blockSize]byte) }}
