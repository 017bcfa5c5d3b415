//go:build amd64 && !noasm

#include "textflag.h"

// func rowsAVX2(rows, x, cosines *float32)
// For each of 18 slots: the sums and differences of subbands k and 31-k times 16 rows of cosines.
TEXT ·rowsAVX2(SB), NOSPLIT, $0-24
	MOVQ rows+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ cosines+16(FP), DX
	MOVQ $18, R8

slot:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   SI, R9          // subband k
	LEAQ   2232(SI), R10   // subband 31-k: 31 * 18 floats on
	MOVQ   DX, R11
	MOVQ   $16, CX

subband:
	VBROADCASTSS (R9), Y4
	VBROADCASTSS (R10), Y5
	VADDPS       Y5, Y4, Y6
	VSUBPS       Y5, Y4, Y7
	VFMADD231PS  (R11), Y6, Y0
	VFMADD231PS  32(R11), Y6, Y1
	VFMADD231PS  64(R11), Y7, Y2
	VFMADD231PS  96(R11), Y7, Y3
	ADDQ         $72, R9
	SUBQ         $72, R10
	ADDQ         $128, R11
	DECQ         CX
	JNZ          subband

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $4, SI
	DECQ    R8
	JNZ     slot
	VZEROUPPER
	RET

// func sumAVX2(out, rows, weights, first *float32)
// For each of 18 slots: 8 pairs of rows, backwards from its own, times the weights; then the outputs are put in order.
TEXT ·sumAVX2(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ first+24(FP), BX
	MOVQ $18, R8
	VMOVUPS ·backwards(SB), Y15

next:
	VXORPS Y0, Y0, Y0  // outputs j, j even
	VXORPS Y1, Y1, Y1  // j odd
	VXORPS Y2, Y2, Y2  // outputs 32-j, j even
	VXORPS Y3, Y3, Y3  // j odd
	VXORPS X12, X12, X12
	MOVQ   SI, R9
	MOVQ   DX, R11
	MOVQ   BX, R12
	MOVQ   $8, CX

pair:
	VMOVUPS     (R9), Y4      // even row, 16+j, j even
	VMOVUPS     64(R9), Y5    // j odd
	VMOVUPS     -96(R9), Y6   // odd row, 16-j, j even
	VMOVUPS     -32(R9), Y7   // j odd
	VFMADD231PS (R11), Y4, Y0
	VFMADD231PS 32(R11), Y5, Y1
	VFMADD231PS 64(R11), Y4, Y2
	VFMADD231PS 96(R11), Y5, Y3
	VFMADD231PS 128(R11), Y6, Y0
	VFMADD231PS 160(R11), Y7, Y1
	VFMADD231PS 192(R11), Y6, Y2
	VFMADD231PS 224(R11), Y7, Y3
	VMOVSS      -128(R9), X8  // value 16 of the odd row
	VFMADD231SS (R12), X8, X12
	SUBQ        $256, R9
	ADDQ        $256, R11
	ADDQ        $4, R12
	DECQ        CX
	JNZ         pair

	// Output 0 has the sum of its own; the upper lanes of X12 are zero.
	VADDPS Y12, Y0, Y0

	// Outputs 0 to 15: even and odd j in turns.
	VUNPCKLPS  Y1, Y0, Y4
	VUNPCKHPS  Y1, Y0, Y5
	VPERM2F128 $0x20, Y5, Y4, Y6
	VPERM2F128 $0x31, Y5, Y4, Y7
	VMOVUPS    Y6, (DI)
	VMOVUPS    Y7, 32(DI)

	// Outputs 17 to 31 are those of j 15 to 1; the lane of j 0 is output 16.
	VPERMPS    Y3, Y15, Y3    // j 15, 13 … 1
	VPERMPS    Y2, Y15, Y2    // j 14, 12 … 2, 0
	VUNPCKLPS  Y2, Y3, Y4
	VUNPCKHPS  Y2, Y3, Y5
	VPERM2F128 $0x20, Y5, Y4, Y6 // 17 to 24
	VPERM2F128 $0x31, Y5, Y4, Y7 // 25 to 31, and the lane of j 0
	VMOVUPS    Y6, 68(DI)
	VMOVUPS    X7, 100(DI)
	VEXTRACTF128 $1, Y7, X8
	VMOVLPS    X8, 116(DI)
	VEXTRACTPS $2, X8, 124(DI)
	VEXTRACTPS $3, X8, 64(DI)

	ADDQ $128, DI
	ADDQ $128, SI
	DECQ R8
	JNZ  next
	VZEROUPPER
	RET

DATA ·backwards+0(SB)/4, $7
DATA ·backwards+4(SB)/4, $6
DATA ·backwards+8(SB)/4, $5
DATA ·backwards+12(SB)/4, $4
DATA ·backwards+16(SB)/4, $3
DATA ·backwards+20(SB)/4, $2
DATA ·backwards+24(SB)/4, $1
DATA ·backwards+28(SB)/4, $0
GLOBL ·backwards(SB), RODATA|NOPTR, $32
