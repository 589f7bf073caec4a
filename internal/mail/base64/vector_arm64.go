//go:build !purego

package base64

// encodeVectors encodes as much of src as fills vectors, and returns how many bytes: a multiple of 3. It takes 48 bytes
// at a time. Every processor of arm64 has Neon.
func encodeVectors(dst, src []byte) int {
	blocks := len(src) / 48
	if blocks < 1 {
		return 0
	}
	encodeNeon(&dst[0], &src[0], blocks)
	return 48 * blocks
}

//go:noescape
func encodeNeon(dst, src *byte, blocks int)
