; Code that runs over the edges 3FFF/4000 and 7FFF/8000.  Every bank begins with `ld a,n; ret` and ends with two
; bytes of its own, so d, e and a tell which bytes were fetched.
	.include "library.inc"
	ld	a, #0xC9		; ret, twice: the last byte of some banks takes an operand
	ld	(0x8000), a
	ld	(0x8001), a
loop:
	ld	c, #1
banks:
	ld	a, c
	ld	(0x2000), a
	push	bc
	ld	de, #0
	call	0x3FFE
	ld	(hl+), a
	ld	a, b
	pop	bc
	ld	(hl+), a
	ld	a, d
	ld	(hl+), a
	ld	a, e
	ld	(hl+), a
	push	bc
	ld	de, #0
	call	0x7FFE
	ld	a, b
	pop	bc
	ld	(hl+), a
	ld	a, d
	ld	(hl+), a
	ld	a, e
	ld	(hl+), a
	inc	c
	ld	a, c
	cp	#8
	jr	nz, banks
	end_turn loop
