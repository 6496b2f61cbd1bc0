; OAM DMA: OAM reads FF meanwhile, sources everywhere, restarts, writes that are lost.  Objects show the result.
	.include "library.inc"
	jp	first
wait:					; a loops and back
	wait_loops
	ret
first:
	io	0x40, 0x93
	io	0x48, 0xE4
loop:
	ld	a, b
	ld	(0xC020), a
	add	a, #0x31
	ldh	(0x80), a
	ld	a, b
	and	#0x0F
	add	a, #0xC0		; C0-CF
	ldh	(0x46), a
	log_at	0xFE00			; not yet begun
	log_at	0xFE00
	log_at	0xFE9F
	log_io	0x46
	ld	a, b
	ld	(0xFE00), a		; lost
	ld	a, b
	and	#0x0F
	inc	a
	call	wait
	log_at	0xFE10
	ld	a, b
	and	#7
	cp	#4
	jr	c, restart
	ld	a, #40
	call	wait
	log_at	0xFE00
	log_at	0xFE9F
	log_at	0xFEA0
	io	0x46, 0xFE		; on a monochrome console this is work RAM
	ld	a, #45
	call	wait
	log_at	0xFE20
	jr	copied
restart:
	io	0x46, 0x00
	io	0x46, 0x40		; again, at once
	log_at	0xFE00
	ld	a, #3
	call	wait
	io	0x46, 0x80		; again, halfway, from video RAM
	ld	a, #45
	call	wait
copied:
	ld	a, b
	ld	(0xFE00), a
	log_at	0xFE00
	io	0x46, 0xFF
	ld	a, #45
	call	wait
	log_at	0xFE80
	end_turn loop
