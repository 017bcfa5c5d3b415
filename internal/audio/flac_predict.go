package audio

// predict adds what the filter makes of the samples before; its last number is for the latest of them. Filters of most
// encoders' lengths are taken as the next longer one that is written out, with zeros before them.
func predict(out []int32, order int, filter *[32]int64, shift uint) {
	long := min((order+3)/4*4, 16)
	if order > 16 {
		long = 32
	}
	start := min(long, len(out))
	for i := order; i < start; i++ { // those have no room for the zeros
		sum := int64(0)
		for k, v := range out[i-order : i] {
			sum += filter[len(filter)-order+k] * int64(v)
		}
		out[i] += int32(sum >> (shift & 63))
	}
	switch long {
	case 4:
		predict4(out, (*[4]int64)(filter[28:]), shift)
	case 8:
		predict8(out, (*[8]int64)(filter[24:]), shift)
	case 12:
		predict12(out, (*[12]int64)(filter[20:]), shift)
	case 16:
		predict16(out, (*[16]int64)(filter[16:]), shift)
	default:
		for i := start; i < len(out); i++ {
			sum := int64(0)
			for k, v := range (*[32]int32)(out[i-32:]) {
				sum += filter[k] * int64(v)
			}
			out[i] += int32(sum >> (shift & 63))
		}
	}
}

func predict4(out []int32, f *[4]int64, shift uint) {
	if len(out) < 4 {
		return
	}
	a, b, c, d := int64(out[0]), int64(out[1]), int64(out[2]), int64(out[3])
	f0, f1, f2, f3 := f[0], f[1], f[2], f[3]
	for i, v := range out[4:] {
		sum := f0*a + f1*b + f2*c + f3*d
		v += int32(sum >> (shift & 63))
		out[4+i] = v
		a, b, c, d = b, c, d, int64(v)
	}
}

func predict8(out []int32, f *[8]int64, shift uint) {
	for i := 8; i < len(out); i++ {
		p := (*[8]int32)(out[i-8:])
		sum := f[0]*int64(p[0]) + f[1]*int64(p[1]) + f[2]*int64(p[2]) + f[3]*int64(p[3]) +
			f[4]*int64(p[4]) + f[5]*int64(p[5]) + f[6]*int64(p[6]) + f[7]*int64(p[7])
		out[i] += int32(sum >> (shift & 63))
	}
}

func predict12(out []int32, f *[12]int64, shift uint) {
	for i := 12; i < len(out); i++ {
		p := (*[12]int32)(out[i-12:])
		sum := f[0]*int64(p[0]) + f[1]*int64(p[1]) + f[2]*int64(p[2]) + f[3]*int64(p[3]) +
			f[4]*int64(p[4]) + f[5]*int64(p[5]) + f[6]*int64(p[6]) + f[7]*int64(p[7]) +
			f[8]*int64(p[8]) + f[9]*int64(p[9]) + f[10]*int64(p[10]) + f[11]*int64(p[11])
		out[i] += int32(sum >> (shift & 63))
	}
}

func predict16(out []int32, f *[16]int64, shift uint) {
	for i := 16; i < len(out); i++ {
		p := (*[16]int32)(out[i-16:])
		sum := f[0]*int64(p[0]) + f[1]*int64(p[1]) + f[2]*int64(p[2]) + f[3]*int64(p[3]) +
			f[4]*int64(p[4]) + f[5]*int64(p[5]) + f[6]*int64(p[6]) + f[7]*int64(p[7]) +
			f[8]*int64(p[8]) + f[9]*int64(p[9]) + f[10]*int64(p[10]) + f[11]*int64(p[11]) +
			f[12]*int64(p[12]) + f[13]*int64(p[13]) + f[14]*int64(p[14]) + f[15]*int64(p[15])
		out[i] += int32(sum >> (shift & 63))
	}
}
