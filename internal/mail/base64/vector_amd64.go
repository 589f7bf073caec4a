//go:build !purego

package base64

import "sync"

// hasAVX2 reports whether the processor has AVX2, and the operating system keeps its registers.
// https://www.intel.com/content/www/us/en/developer/articles/technical/intel-sdm.html, volume 1, section 14.3
var hasAVX2 = sync.OnceValue(func() bool {
	const osxsave, avx, avx2 = 1 << 27, 1 << 28, 1 << 5
	const xmm, ymm = 1 << 1, 1 << 2
	if most, _, _ := cpuid(0); most < 7 {
		return false
	}
	if _, _, c := cpuid(1); c&osxsave == 0 || c&avx == 0 || xgetbv()&(xmm|ymm) != xmm|ymm {
		return false
	}
	_, b, _ := cpuid(7)
	return b&avx2 != 0
})

// encodeVectors encodes as much of src as fills vectors, and returns how many bytes: a multiple of 3. Each vector is of
// 24 bytes, and 28 are read for it.
func encodeVectors(dst, src []byte) int {
	vectors := (len(src) - 4) / 24
	if vectors < 1 || !hasAVX2() {
		return 0
	}
	encodeAVX2(&dst[0], &src[0], vectors)
	return 24 * vectors
}

//go:noescape
func encodeAVX2(dst, src *byte, vectors int)

// cpuid is the instruction, with 0 for the sub-leaf.
func cpuid(leaf uint32) (a, b, c uint32)

// xgetbv is the low half of the extended control register 0.
func xgetbv() uint32
