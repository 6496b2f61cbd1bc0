; The window's own line counter: WY, WX and the enable bit change from frame to frame and within frames.
	.include "library.inc"
	io	0x40, 0x11
	push	hl
	ld	hl, #0x8000		; tiles with something to see
	ld	de, #0x1000
tiles:
	ld	a, e
	xor	l
	rlca
	xor	h
	ld	(hl+), a
	dec	de
	ld	a, d
	or	e
	jr	nz, tiles
	ld	hl, #0x9800		; two maps of running numbers
	ld	de, #0x0800
maps:
	ld	a, l
	add	a, h
	ld	(hl+), a
	dec	de
	ld	a, d
	or	e
	jr	nz, maps
	pop	hl
	io	0x47, 0xE4
	io	0x40, 0xF1
loop:
	ld	a, b
	rrca
	and	#0x3F
	ldh	(0x4A), a		; WY
	ld	a, b
	and	#0x7F
	ldh	(0x4B), a		; WX, also left of 7
	ld	a, b
	ldh	(0x42), a
	rrca
	ldh	(0x43), a
	wait_line 40
	bit	0, b
	jr	z, stays
	io	0x40, 0xD1		; off for some lines
stays:
	wait_line 60
	io	0x40, 0xF1
	bit	1, b
	jr	z, same
	io	0x4A, 0x48		; WY moves on to a later line
	io	0x4B, 0x30
same:
	wait_line 90
	bit	2, b
	jr	z, shown
	io	0x4B, 0xA7		; right of the picture
shown:
	wait_line 120
	io	0x4B, 0x50
	wait_line 144
	log_io	0x41
	end_turn loop
