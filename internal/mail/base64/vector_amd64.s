//go:build !purego

#include "textflag.h"

// Three bytes abc of each group as b a c b, so that the bits of each character are in one word of 16 bits.
DATA groups<>+0(SB)/8, $0x0405030401020001
DATA groups<>+8(SB)/8, $0x0a0b090a07080607
GLOBL groups<>(SB), RODATA|NOPTR, $16

// What is added to a value for its character: by 0 for 26 to 51, 1 to 10 for 52 to 61, 11 for 62, 12 for 63, 13 for
// those below 26.
DATA offsets<>+0(SB)/8, $0xfcfcfcfcfcfcfc47
DATA offsets<>+8(SB)/8, $0x000041f0edfcfcfc
GLOBL offsets<>(SB), RODATA|NOPTR, $16

DATA highMask<>+0(SB)/4, $0x0fc0fc00 // of the first and the third character
GLOBL highMask<>(SB), RODATA|NOPTR, $4
DATA highShift<>+0(SB)/4, $0x04000040 // to the right, by 10 and by 6 bits
GLOBL highShift<>(SB), RODATA|NOPTR, $4
DATA lowMask<>+0(SB)/4, $0x003f03f0 // of the second and the fourth
GLOBL lowMask<>(SB), RODATA|NOPTR, $4
DATA lowShift<>+0(SB)/4, $0x01000010 // to the left, by 4 and by 8 bits
GLOBL lowShift<>(SB), RODATA|NOPTR, $4
DATA fiftyOne<>+0(SB)/4, $0x33333333
GLOBL fiftyOne<>(SB), RODATA|NOPTR, $4
DATA twentySix<>+0(SB)/4, $0x1a1a1a1a
GLOBL twentySix<>(SB), RODATA|NOPTR, $4
DATA thirteen<>+0(SB)/4, $0x0d0d0d0d
GLOBL thirteen<>(SB), RODATA|NOPTR, $4

// func encodeAVX2(dst, src *byte, vectors int)
//
// W. Muła and D. Lemire, Faster Base64 Encoding and Decoding Using AVX2 Instructions, https://arxiv.org/abs/1704.00605
TEXT ·encodeAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ vectors+16(FP), CX
	VBROADCASTI128 groups<>(SB), Y7
	VBROADCASTI128 offsets<>(SB), Y8
	VPBROADCASTD highMask<>(SB), Y9
	VPBROADCASTD highShift<>(SB), Y10
	VPBROADCASTD lowMask<>(SB), Y11
	VPBROADCASTD lowShift<>(SB), Y12
	VPBROADCASTD fiftyOne<>(SB), Y13
	VPBROADCASTD twentySix<>(SB), Y14
	VPBROADCASTD thirteen<>(SB), Y15

loop:
	// Twelve bytes in each half, and from them 32 values below 64.
	VMOVDQU (SI), X0
	VINSERTI128 $1, 12(SI), Y0, Y0
	VPSHUFB Y7, Y0, Y0
	VPAND Y9, Y0, Y1
	VPMULHUW Y10, Y1, Y1
	VPAND Y11, Y0, Y0
	VPMULLW Y12, Y0, Y0
	VPOR Y1, Y0, Y0

	// Which offset: values up to 51 give 0, and of these the ones below 26 give 13.
	VPSUBUSB Y13, Y0, Y1
	VPCMPGTB Y0, Y14, Y2
	VPAND Y15, Y2, Y2
	VPOR Y2, Y1, Y1
	VPSHUFB Y1, Y8, Y1
	VPADDB Y1, Y0, Y0
	VMOVDQU Y0, (DI)

	ADDQ $24, SI
	ADDQ $32, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func cpuid(leaf uint32) (a, b, c uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-20
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
