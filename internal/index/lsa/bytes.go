package lsa

import "unsafe"

// signed and unsigned see the same bytes as numbers of the other kind.

func signed(b []byte) Places {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

func unsigned(p Places) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p))), len(p))
}
