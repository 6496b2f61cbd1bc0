; STAT: one interrupt line for four sources, so a source that is already on hides the next; LY = LYC; blocked memory.
	.include "library.inc"
	io	0xFF, 0x02
	ei
loop:
	ld	a, b
	ldh	(0x45), a		; LYC
	rlca
	rlca
	and	#0x78			; every set of sources
	ldh	(0x41), a
	log_io	0x0F
	ld	a, b
	and	#0x7F
	inc	a
	wait_loops
	log_io	0x41
	log_io	0x0F
	log_io	0x44
	xor	a
	ldh	(0x0F), a
	ldh	a, (0x44)
	inc	a
	ldh	(0x45), a		; the next line
	log_io	0x41
	ld	a, #30
	wait_loops
	log_io	0x0F
	log_io	0x41
	; memory the LCD is using, seen by the three loads that see it and by one that does not
	push	hl
	ld	hl, #0x8010
	ld	d, (hl)
	ld	a, (hl)
	pop	hl
	ld	(hl+), a
	ld	a, d
	ld	(hl+), a
	ld	de, #0x8011
	ld	a, b
	ld	(de), a
	ld	a, (de)
	ld	(hl+), a
	ld	de, #0xFE01
	ld	a, b
	ld	(de), a
	ld	a, (de)
	ld	(hl+), a
	log_at	0xFE01
	end_turn loop
