; The timer: TIMA overflows at a moment that moves by four cycles a turn, with a read or write at every distance.
	.include "library.inc"
	.macro	arm				; ten edges to the overflow, which the nops then reach
	io	0x07, 0x00
	io	0x06, 0x3C
	io	0x0F, 0x00
	io	0x05, 0xF6
	xor	a
	ldh	(0x04), a
	io	0x07, 0x05
	ld	a, b
	and	#0x0F
	call	nops
	.endm
	jp	first
nops:					; a nops less than 16
	push	hl
	ld	hl, #sled
	add	a, l
	ld	l, a
	jr	nc, near
	inc	h
near:	jp	(hl)
sled:
	.rept	16
	nop
	.endm
	pop	hl
	ret
first:
	io	0xFF, 0x00
loop:
	arm
	log_io	0x05
	log_io	0x05
	log_io	0x0F
	arm
	ld	a, #0x77
	ldh	(0x05), a		; TIMA in the reload window
	log_io	0x05
	log_io	0x0F
	arm
	ld	a, #0x99
	ldh	(0x06), a		; TMA passes through
	log_io	0x05
	log_io	0x06
	log_io	0x0F
	arm
	xor	a
	ldh	(0x04), a		; DIV: a falling edge
	log_io	0x05
	log_io	0x0F
	arm
	ld	a, #0x04
	ldh	(0x07), a		; TAC: another bit
	log_io	0x05
	ld	a, #0x06
	ldh	(0x07), a
	log_io	0x05
	xor	a
	ldh	(0x07), a
	log_io	0x05
	log_io	0x0F
	; the same with the interrupt on
	io	0xFF, 0x04
	ei
	arm
	log_io	0x05
	log_at	0xC008
	log_at	0xC009
	di
	io	0xFF, 0x00
	end_turn loop
