//go:build !noasm

#include "textflag.h"

#define BETWEEN(offset, v, s, t) \
	VMOVUPS offset(SI), v         \
	VFMADD231PS offset(DI), v, s  \
	VFMADD231PS offset(DX), v, t

#define BETWEEN_ARGUMENTS \
	MOVQ out+0(FP), R8      \
	MOVQ window+8(FP), R9   \
	MOVQ rows+16(FP), R10   \
	MOVQ wide+24(FP), R11   \
	MOVQ taps+32(FP), R12   \
	MOVQ places+40(FP), R13 \
	MOVQ n+48(FP), BX       \
	SHLQ $2, R11

// BETWEEN_PLACE goes to one place: its samples and both rows.
#define BETWEEN_PLACE \
	MOVQ  (R13), SI          \
	LEAQ  (R9)(SI*4), SI     \
	MOVQ  8(R13), DI         \
	IMULQ R11, DI            \
	ADDQ  R10, DI            \
	LEAQ  (DI)(R11*1), DX    \
	MOVQ  R12, CX            \
	VXORPS Y0, Y0, Y0        \
	VXORPS Y1, Y1, Y1        \
	VXORPS Y2, Y2, Y2        \
	VXORPS Y3, Y3, Y3

// BETWEEN_SUM adds up the eight floats of Y0 and goes on to the next place.
#define BETWEEN_SUM \
	VEXTRACTF128 $1, Y0, X1  \
	VADDPS X1, X0, X0        \
	VHADDPS X0, X0, X0       \
	VHADDPS X0, X0, X0       \
	VMOVSS X0, (R8)          \
	ADDQ $4, R8              \
	ADDQ $24, R13            \
	DECQ BX

// func betweenAVX2(out, window, rows unsafe.Pointer, wide, taps int, places unsafe.Pointer, n int)
// taps is a positive multiple of 32, n is positive.
TEXT ·betweenAVX2(SB), NOSPLIT, $0-56
	BETWEEN_ARGUMENTS

next:
	BETWEEN_PLACE

loop:
	BETWEEN(0, Y8, Y0, Y2)
	BETWEEN(32, Y9, Y1, Y3)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, DX
	SUBQ $16, CX
	JG   loop

	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VSUBPS Y0, Y2, Y2
	VBROADCASTSS 16(R13), Y4
	VFMADD231PS Y4, Y2, Y0
	BETWEEN_SUM
	JNZ  next
	VZEROUPPER
	RET

// func betweenAVX512(out, window, rows unsafe.Pointer, wide, taps int, places unsafe.Pointer, n int)
TEXT ·betweenAVX512(SB), NOSPLIT, $0-56
	BETWEEN_ARGUMENTS

next:
	BETWEEN_PLACE

loop:
	BETWEEN(0, Z8, Z0, Z2)
	BETWEEN(64, Z9, Z1, Z3)
	ADDQ $128, SI
	ADDQ $128, DI
	ADDQ $128, DX
	SUBQ $32, CX
	JG   loop

	VADDPS Z1, Z0, Z0
	VADDPS Z3, Z2, Z2
	VSUBPS Z0, Z2, Z2
	VBROADCASTSS 16(R13), Z4
	VFMADD231PS Z4, Z2, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPS Y1, Y0, Y0
	BETWEEN_SUM
	JNZ  next
	VZEROUPPER
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
