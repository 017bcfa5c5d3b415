//go:build !noasm

#include "textflag.h"

// FOLD moves x over 256 bytes and adds what lies there.
#define FOLD(x, y, at) \
	VPCLMULQDQ $0x00, Z8, x, y         \
	VPCLMULQDQ $0x11, Z8, x, x         \
	VPTERNLOGQ $0x96, at(SI), y, x

// func foldAVX512(state, data unsafe.Pointer, n int, by *[2]uint64)
// n is a positive multiple of 256.
TEXT ·foldAVX512(SB), NOSPLIT, $0-32
	MOVQ state+0(FP), DI
	MOVQ data+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ by+24(FP), AX
	VBROADCASTI32X4 (AX), Z8
	VMOVDQU64 (DI), Z0
	VMOVDQU64 64(DI), Z1
	VMOVDQU64 128(DI), Z2
	VMOVDQU64 192(DI), Z3

loop:
	FOLD(Z0, Z4, 0)
	FOLD(Z1, Z5, 64)
	FOLD(Z2, Z6, 128)
	FOLD(Z3, Z7, 192)
	ADDQ $256, SI
	SUBQ $256, CX
	JNZ  loop
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z2, 128(DI)
	VMOVDQU64 Z3, 192(DI)
	VZEROUPPER
	RET
