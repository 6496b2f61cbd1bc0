; MBC30: eight bits of ROM bank and eight RAM banks, told from an MBC3 by its size alone.
	.include "library.inc"
loop:
	poke	0x0000, 0x0A
	ld	c, #0
banks:
	ld	a, b
	add	a, c
	ld	(0x2000), a
	log_at	0x4001
	ld	a, c
	ld	(0x4000), a
	ld	a, b
	xor	c
	ld	(0xA000), a
	ld	(0xBFFF), a
	log_at	0xA000
	inc	c
	ld	a, c
	cp	#8
	jr	nz, banks
	poke	0x4000, 0x08		; a clock register: latched values
	log_at	0xA000
	end_turn loop
