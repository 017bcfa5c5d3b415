//go:build !noasm

#include "textflag.h"

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
// n is a positive multiple of 64.
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

#define ROW512(u, x, s, t) \
	VMOVUPS (64*u)(SI), x              \
	VFMADD231PS.BCST (4*u)(DI), x, s   \
	VFMADD231PS.BCST (4*u)(DX), x, t

// func addAVX512(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)
// Sums over n rows of 16 floats, each times a number of a, and times one of b. n is a positive multiple of 4.
TEXT ·addAVX512(SB), NOSPLIT, $0-40
	MOVQ matrix+0(FP), SI
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ out+32(FP), R11
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

loop:
	ROW512(0, Z8, Z0, Z4)
	ROW512(1, Z9, Z1, Z5)
	ROW512(2, Z10, Z2, Z6)
	ROW512(3, Z11, Z3, Z7)
	ADDQ $256, SI
	ADDQ $16, DI
	ADDQ $16, DX
	SUBQ $4, CX
	JG   loop

	VADDPS Z1, Z0, Z0
	VADDPS Z3, Z2, Z2
	VADDPS Z2, Z0, Z0
	VADDPS Z5, Z4, Z4
	VADDPS Z7, Z6, Z6
	VADDPS Z6, Z4, Z4
	VMOVUPS Z0, (R11)
	VMOVUPS Z4, 64(R11)
	VZEROUPPER
	RET

#define ROW256(u, s0, s1, t0, t1) \
	VBROADCASTSS (4*u)(DI), Y8        \
	VBROADCASTSS (4*u)(DX), Y9        \
	VMOVUPS (64*u)(SI), Y10           \
	VMOVUPS (64*u+32)(SI), Y11        \
	VFMADD231PS Y10, Y8, s0           \
	VFMADD231PS Y11, Y8, s1           \
	VFMADD231PS Y10, Y9, t0           \
	VFMADD231PS Y11, Y9, t1

// func addAVX2(matrix, a, b unsafe.Pointer, n int, out unsafe.Pointer)
TEXT ·addAVX2(SB), NOSPLIT, $0-40
	MOVQ matrix+0(FP), SI
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ out+32(FP), R11
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

loop:
	ROW256(0, Y0, Y1, Y4, Y5)
	ROW256(1, Y2, Y3, Y6, Y7)
	ADDQ $128, SI
	ADDQ $8, DI
	ADDQ $8, DX
	SUBQ $2, CX
	JG   loop

	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	VADDPS Y6, Y4, Y4
	VADDPS Y7, Y5, Y5
	VMOVUPS Y0, (R11)
	VMOVUPS Y1, 32(R11)
	VMOVUPS Y4, 64(R11)
	VMOVUPS Y5, 96(R11)
	VZEROUPPER
	RET

// func layAVX(columns, in unsafe.Pointer, stride, rows int)
// Four rows of four columns at a time.
TEXT ·layAVX(SB), NOSPLIT, $0-32
	MOVQ columns+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ stride+16(FP), DX
	MOVQ rows+24(FP), CX
	LEAQ (SI)(DX*4), R8
	LEAQ (R8)(DX*4), R9
	LEAQ (R9)(DX*4), R10
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*4), X0
	VMOVUPS (R8)(AX*4), X1
	VMOVUPS (R9)(AX*4), X2
	VMOVUPS (R10)(AX*4), X3
	VUNPCKLPS X1, X0, X4
	VUNPCKHPS X1, X0, X5
	VUNPCKLPS X3, X2, X6
	VUNPCKHPS X3, X2, X7
	VMOVLHPS X6, X4, X8
	VMOVHLPS X4, X6, X9
	VMOVLHPS X7, X5, X10
	VMOVHLPS X5, X7, X11
	VMOVUPS X8, (DI)
	VMOVUPS X9, 64(DI)
	VMOVUPS X10, 128(DI)
	VMOVUPS X11, 192(DI)
	ADDQ $256, DI
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET
