package main

import "strings"

// piece is a text that is repeated, and what stands once before and behind it.
type piece struct{ before, unit, after string }

// parsePiece reads a piece: "<p title='…a …'>" is an attribute with any number of words, "<b>" any number of tags.
func parsePiece(text string) piece {
	if parts := strings.Split(text, "…"); len(parts) == 3 {
		return piece{before: parts[0], unit: parts[1], after: parts[2]}
	}
	return piece{unit: text}
}

// repeat returns the piece with as many units as fit into size bytes.
func (p piece) repeat(size int) string {
	return p.before + strings.Repeat(p.unit, size/len(p.unit)) + p.after
}

// around is a piece that stands around another, whose units both are repeated in turns.
func (p piece) around(other piece) piece {
	return piece{before: p.before + other.before, unit: p.unit + other.unit, after: other.after + p.after}
}
