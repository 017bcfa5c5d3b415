//go:build !noasm

#include "textflag.h"

// Dot products of n floats, n a positive multiple of 64. Each output has two sums that run side by side
// and are added in the same order whether one output is computed or four: the bits are the same.

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

// func dot4AVX2(in unsafe.Pointer, stride int, row unsafe.Pointer, n int, out unsafe.Pointer)
TEXT ·dot4AVX2(SB), NOSPLIT, $0-40
	MOVQ in+0(FP), SI
	MOVQ stride+8(FP), DX
	MOVQ row+16(FP), DI
	MOVQ n+24(FP), CX
	MOVQ out+32(FP), R11
	LEAQ (SI)(DX*4), R8
	LEAQ (R8)(DX*4), R9
	LEAQ (R9)(DX*4), R10
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ AX, AX

loop:
	VMOVUPS (DI)(AX*4), Y8
	VMOVUPS 32(DI)(AX*4), Y9
	VFMADD231PS (SI)(AX*4), Y8, Y0
	VFMADD231PS 32(SI)(AX*4), Y9, Y1
	VFMADD231PS (R8)(AX*4), Y8, Y2
	VFMADD231PS 32(R8)(AX*4), Y9, Y3
	VFMADD231PS (R9)(AX*4), Y8, Y4
	VFMADD231PS 32(R9)(AX*4), Y9, Y5
	VFMADD231PS (R10)(AX*4), Y8, Y6
	VFMADD231PS 32(R10)(AX*4), Y9, Y7
	ADDQ $16, AX
	CMPQ AX, CX
	JLT  loop

	SUM256(Y0, Y1, X0)
	SUM256(Y2, Y3, X2)
	SUM256(Y4, Y5, X4)
	SUM256(Y6, Y7, X6)
	VZEROUPPER
	MOVSS X0, (R11)
	MOVSS X2, 4(R11)
	MOVSS X4, 8(R11)
	MOVSS X6, 12(R11)
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

// func dot4AVX512(in unsafe.Pointer, stride int, row unsafe.Pointer, n int, out unsafe.Pointer)
TEXT ·dot4AVX512(SB), NOSPLIT, $0-40
	MOVQ in+0(FP), SI
	MOVQ stride+8(FP), DX
	MOVQ row+16(FP), DI
	MOVQ n+24(FP), CX
	MOVQ out+32(FP), R11
	LEAQ (SI)(DX*4), R8
	LEAQ (R8)(DX*4), R9
	LEAQ (R9)(DX*4), R10
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ AX, AX

loop:
	VMOVUPS (DI)(AX*4), Z8
	VMOVUPS 64(DI)(AX*4), Z9
	VFMADD231PS (SI)(AX*4), Z8, Z0
	VFMADD231PS 64(SI)(AX*4), Z9, Z1
	VFMADD231PS (R8)(AX*4), Z8, Z2
	VFMADD231PS 64(R8)(AX*4), Z9, Z3
	VFMADD231PS (R9)(AX*4), Z8, Z4
	VFMADD231PS 64(R9)(AX*4), Z9, Z5
	VFMADD231PS (R10)(AX*4), Z8, Z6
	VFMADD231PS 64(R10)(AX*4), Z9, Z7
	ADDQ $32, AX
	CMPQ AX, CX
	JLT  loop

	SUM512(Z0, Z1, Y0, X0)
	SUM512(Z2, Z3, Y2, X2)
	SUM512(Z4, Z5, Y4, X4)
	SUM512(Z6, Z7, Y6, X6)
	VZEROUPPER
	MOVSS X0, (R11)
	MOVSS X2, 4(R11)
	MOVSS X4, 8(R11)
	MOVSS X6, 12(R11)
	RET
