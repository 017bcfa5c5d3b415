//go:build !noasm

#include "textflag.h"

// Dot products of n floats, n a positive multiple of 64.

// SUM256 adds up the sums a and b (x is a's lower half) into the lowest lane.
#define SUM256(a, b, x) \
	VADDPS b, a, a          \
	VEXTRACTF128 $1, a, X15 \
	VADDPS X15, x, x        \
	VHADDPS x, x, x         \
	VHADDPS x, x, x

// SUM512 does the same for 512 bits; y is a's lower half, x the lower half of that.
#define SUM512(a, b, y, x) \
	VADDPS b, a, a            \
	VEXTRACTF64X4 $1, a, Y15  \
	VADDPS Y15, y, y          \
	VEXTRACTF128 $1, y, X15   \
	VADDPS X15, x, x          \
	VHADDPS x, x, x           \
	VHADDPS x, x, x

// func dotAVX2(a, b unsafe.Pointer, n int) float32
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

loop:
	VMOVUPS (DI), Y8
	VMOVUPS 32(DI), Y9
	VFMADD231PS (SI), Y8, Y0
	VFMADD231PS 32(SI), Y9, Y1
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JG   loop

	SUM256(Y0, Y1, X0)
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

// func dotAVX512(a, b unsafe.Pointer, n int) float32
TEXT ·dotAVX512(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

loop:
	VMOVUPS (DI), Z8
	VMOVUPS 64(DI), Z9
	VFMADD231PS (SI), Z8, Z0
	VFMADD231PS 64(SI), Z9, Z1
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, CX
	JG   loop

	SUM512(Z0, Z1, Y0, X0)
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET
