; EI takes effect one instruction late; HALT with interrupts off, with one waiting, right behind EI; pushes over IE.
	.include "library.inc"
	io	0x06, 0xF0
	io	0x07, 0x05
	io	0xFF, 0x05
loop:
	ei
	halt				; the first instruction after EI
	ld	a, b
	ld	(hl+), a
	log_io	0x04
	log_at	0xC008
	ei
	di				; EI never took effect
	log_at	0xC008
	xor	a
	ldh	(0x0F), a
	halt				; interrupts off: goes on without a handler
	inc	b			; (where hardware would run this twice)
	log_io	0x0F
	log_at	0xC000
	io	0x0F, 0x04
	halt				; off and one waiting: no wait at all
	inc	b
	log_io	0x04
	io	0x0F, 0x04
	ei				; one waiting: taken after the next instruction
	inc	b
	inc	b
	log_at	0xC008
	io	0x0F, 0x05
	ei
	halt				; waiting already: behind EI
	nop
	log_at	0xC000
	log_at	0xC008
	di
	; dispatch pushes over IE: PC's high byte takes the timer out of IE while it is being served, which leads to 0000
	ld	a, b
	and	#7
	jr	nz, plain
	io	0x0F, 0x00
	ld	sp, #0x0000
	io	0x0F, 0x04
	ei
	nop
	nop
after_push:
	di
	ld	sp, #0xFFFE
	log_io	0xFF
	log_io	0x0F
	io	0xFF, 0x05
plain:
	ld	a, b
	and	#0x3F
	inc	a
	wait_loops
	end_turn loop
	.org	0x0000
	jp	after_push
