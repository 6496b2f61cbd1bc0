; MBC1: five and two bits, both modes, RAM banks.  The image repeats this code wherever mode 1 may map it low.
	.include "library.inc"
loop:
	poke	0x0000, 0x0A
	ld	c, #0
	ld	d, #0
banks:
	ld	a, c			; low bits, running through 0-31 and beyond
	ld	(0x2000), a
	ld	a, d
	ld	(0x4000), a
	log_at	0x4001
	poke	0x6000, 1
	log_at	0x4001
	log_at	0x3FF0			; which bank is mapped low
	ld	a, d
	swap	a
	or	c
	ld	(0xA000), a
	log_at	0xA000
	poke	0x6000, 0
	log_at	0xA000
	log_at	0x3FF0
	inc	d
	ld	a, d
	and	#3
	ld	d, a
	jr	nz, banks
	ld	a, c
	add	a, #5
	ld	c, a
	cp	#75
	jr	c, banks
	poke	0x0000, 0x00
	poke	0xA001, 0x77		; ignored
	log_at	0xA001
	poke	0x1FFF, 0x3A		; the low nibble is enough
	log_at	0xA001
	ld	a, b
	ld	(0xBFFF), a
	log_at	0xBFFF
	end_turn loop
