// Package steps counts what parsers do with texts that anybody may send, so that none takes more than linear time. It
// counts steps, never time: the parsers run as WebAssembly, in which each loop and each function counts itself. So all
// work is seen, also that of the standard library and of the runtime, and nothing of it stands in what is deployed.
//
// What it cannot see: a text that no pair of pieces makes, a cost that begins beyond the sizes that are read, and how
// long a step takes on a processor, such as for want of a cache. Of two different pieces, a cost is to begin within
// three eighths of the largest size, because a text that looks linear so far is read no further.
package steps

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// counter is the name under which a metered module exports its count.
const counter = "steps"

// The sections of a module that metering reads or changes.
// https://webassembly.github.io/spec/core/binary/modules.html#sections
const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	globalSection   = 6
	exportSection   = 7
	codeSection     = 10
)

const header = "\x00asm\x01\x00\x00\x00"

// meter returns a module of WebAssembly with a counter of its steps. Each entry into a function and each turn of a loop
// is a step: the code between two of them has a fixed length. An instruction that copies or fills memory takes a step
// for 64 bytes, about what a processor does in the time of another step. So no work is left out, in whatever package it
// is done.
func meter(module []byte) (metered []byte, err error) {
	defer func() { // of a read behind the end
		if p := recover(); p != nil {
			err = fmt.Errorf("read module: %v", p)
		}
	}()
	rest, ok := bytes.CutPrefix(module, []byte(header))
	if !ok {
		return nil, errors.New("read module: it is not WebAssembly, version 1")
	}
	sections := map[byte][]byte{}
	each(rest, func(id byte, content []byte) { sections[id] = content })
	globals, _ := binary.Uvarint(sections[globalSection])
	parameters := parametersOf(sections)
	metered = []byte(header)
	each(rest, func(id byte, content []byte) {
		switch id {
		case globalSection:
			content = appended(content, []byte{i64, mutable, i64Const, 0, end})
		case exportSection:
			export := append(name(counter), exportedGlobal)
			content = appended(content, binary.AppendUvarint(export, globals))
		case codeSection:
			content = meteredCode(content, globals, parameters)
		}
		metered = append(append(metered, id), sized(content)...)
	})
	return metered, nil
}

// each calls do for each section of a module.
func each(module []byte, do func(id byte, content []byte)) {
	for r := (reader{module}); len(r.rest) > 0; {
		id := r.byte()
		do(id, r.take(r.number()))
	}
}

// parametersOf returns the number of parameters of each function that has code. A module of Go imports nothing but
// functions, so the globals of its own are all that there are.
func parametersOf(sections map[byte][]byte) (parameters []int) {
	types := reader{sections[typeSection]}
	var ofType []int
	for range types.number() {
		types.byte() // a function
		n := types.number()
		types.take(n)
		types.take(types.number()) // results
		ofType = append(ofType, n)
	}
	for imports := (reader{sections[importSection]}); len(imports.rest) > 0; {
		for range imports.number() {
			imports.take(imports.number())
			imports.take(imports.number())
			if kind := imports.byte(); kind != importedFunction {
				panic(fmt.Sprintf("it imports something of kind %d", kind))
			}
			imports.number()
		}
	}
	functions := reader{sections[functionSection]}
	for range functions.number() {
		parameters = append(parameters, ofType[functions.number()])
	}
	return parameters
}

const (
	i32, i64 = 0x7f, 0x7e
	mutable  = 1
	bitsOf64 = 6

	importedFunction, exportedGlobal = 0, 3
)

// meteredCode adds the counting to the code of all functions.
func meteredCode(code []byte, global uint64, parameters []int) []byte {
	r := reader{code}
	metered := binary.AppendUvarint(nil, uint64(r.number()))
	for _, n := range parameters {
		metered = append(metered, sized(meteredFunction(r.take(r.number()), global, n))...)
	}
	return metered
}

func meteredFunction(code []byte, global uint64, parameters int) (metered []byte) {
	r := reader{code}
	groups, locals := r.number(), parameters
	declared := r.rest
	for range groups {
		locals += r.number()
		r.byte()
	}
	declared = declared[:len(declared)-len(r.rest)]
	metered = append(binary.AppendUvarint(nil, uint64(groups+1)), declared...)
	metered = append(metered, 1, i32) // a local of its own, for the length of what is copied or filled
	length := binary.AppendUvarint(nil, uint64(locals))

	add := append([]byte{globalGet}, binary.AppendUvarint(nil, global)...)
	add = append(append(add, i64Add, globalSet), binary.AppendUvarint(nil, global)...)
	step := append([]byte{i64Const, 1}, add...)
	metered = append(metered, step...)
	for len(r.rest) > 0 {
		switch instruction, does := r.instruction(); does {
		case begins:
			metered = append(append(metered, instruction...), step...)
		case copies: // its last operand is the length
			metered = append(append(metered, localTee), length...)
			metered = append(append(metered, localGet), length...)
			metered = append(metered, i32Const, bitsOf64, i32ShiftRightU, i64ExtendI32U)
			metered = append(metered, add...)
			metered = append(metered, instruction...)
		default:
			metered = append(metered, instruction...)
		}
	}
	return metered
}

// appended adds an element to a vector.
func appended(vector, element []byte) []byte {
	n, length := binary.Uvarint(vector)
	return append(append(binary.AppendUvarint(nil, n+1), vector[length:]...), element...)
}

// sized puts the number of its bytes before a content.
func sized(content []byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(content))), content...)
}

func name(s string) []byte { return sized([]byte(s)) }
