//go:build !purego

#include "textflag.h"

DATA characters<>+0(SB)/8, $"ABCDEFGH"
DATA characters<>+8(SB)/8, $"IJKLMNOP"
DATA characters<>+16(SB)/8, $"QRSTUVWX"
DATA characters<>+24(SB)/8, $"YZabcdef"
DATA characters<>+32(SB)/8, $"ghijklmn"
DATA characters<>+40(SB)/8, $"opqrstuv"
DATA characters<>+48(SB)/8, $"wxyz0123"
DATA characters<>+56(SB)/8, $"456789+/"
GLOBL characters<>(SB), RODATA|NOPTR, $64

// func encodeNeon(dst, src *byte, blocks int)
TEXT ·encodeNeon(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD blocks+16(FP), R2
	MOVD $characters<>(SB), R3
	VLD1 (R3), [V0.B16, V1.B16, V2.B16, V3.B16]
	VMOVI $63, V7.B16

loop:
	// The first, the second and the third bytes of sixteen groups.
	VLD3.P 48(R1), [V4.B16, V5.B16, V6.B16]

	// Their bits, six in each of four bytes.
	VUSHR $2, V4.B16, V16.B16
	VSHL $4, V4.B16, V17.B16
	VUSHR $4, V5.B16, V20.B16
	VORR V20.B16, V17.B16, V17.B16
	VAND V7.B16, V17.B16, V17.B16
	VSHL $2, V5.B16, V18.B16
	VUSHR $6, V6.B16, V21.B16
	VORR V21.B16, V18.B16, V18.B16
	VAND V7.B16, V18.B16, V18.B16
	VAND V7.B16, V6.B16, V19.B16

	VTBL V16.B16, [V0.B16, V1.B16, V2.B16, V3.B16], V16.B16
	VTBL V17.B16, [V0.B16, V1.B16, V2.B16, V3.B16], V17.B16
	VTBL V18.B16, [V0.B16, V1.B16, V2.B16, V3.B16], V18.B16
	VTBL V19.B16, [V0.B16, V1.B16, V2.B16, V3.B16], V19.B16
	VST4.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)

	SUBS $1, R2, R2
	BNE loop
	RET
