package steps

import "fmt"

// reader reads the binary format of WebAssembly. It panics at the end.
type reader struct{ rest []byte }

func (r *reader) take(n int) (taken []byte) {
	taken, r.rest = r.rest[:n:n], r.rest[n:]
	return taken
}

func (r *reader) byte() byte { return r.take(1)[0] }

// number reads a number in LEB128. One that has a sign is read, and not returned right.
func (r *reader) number() (n int) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

// Instructions. https://webassembly.github.io/spec/core/binary/instructions.html
const (
	block, loop, ifElse, end   = 0x02, 0x03, 0x04, 0x0b
	branch, branchIf, branchTo = 0x0c, 0x0d, 0x0e
	call, callIndirect         = 0x10, 0x11
	localGet, localTee         = 0x20, 0x22
	globalGet, globalSet       = 0x23, 0x24
	load, store                = 0x28, 0x3e // the first, and the last
	memorySize, memoryGrow     = 0x3f, 0x40
	i32Const, i64Const         = 0x41, 0x42
	f32Const, f64Const         = 0x43, 0x44
	i32ShiftRightU             = 0x76
	i64Add, i64ExtendI32U      = 0x7c, 0xad
	last                       = 0xc4 // of those that have one byte
	prefixed                   = 0xfc
	memoryCopy, memoryFill     = 10, 11 // behind the prefix
	lastConversion             = 7
)

// does is what metering has to know of an instruction.
type does int

const (
	nothing does = iota
	begins       // a loop
	copies       // or fills memory
)

// instruction reads an instruction with its immediate operands. It knows those that Go's compiler and assembler write.
func (r *reader) instruction() (instruction []byte, what does) {
	before := r.rest
	switch opcode := r.byte(); {
	case opcode == loop:
		r.number()
		what = begins
	case opcode == block, opcode == ifElse, opcode == branch, opcode == branchIf, opcode == call,
		opcode >= localGet && opcode <= globalSet, opcode == memorySize, opcode == memoryGrow,
		opcode == i32Const, opcode == i64Const:
		r.number()
	case opcode == callIndirect, opcode >= load && opcode <= store:
		r.number()
		r.number()
	case opcode == branchTo:
		for range r.number() + 1 {
			r.number()
		}
	case opcode == f32Const:
		r.take(4)
	case opcode == f64Const:
		r.take(8)
	case opcode == prefixed:
		switch operation := r.number(); {
		case operation == memoryCopy:
			r.take(2)
			what = copies
		case operation == memoryFill:
			r.take(1)
			what = copies
		case operation > lastConversion:
			panic(fmt.Sprintf("instruction %#x %d is not known", opcode, operation))
		}
	case opcode > last:
		panic(fmt.Sprintf("instruction %#x is not known", opcode))
	}
	return before[: len(before)-len(r.rest) : len(before)-len(r.rest)], what
}
