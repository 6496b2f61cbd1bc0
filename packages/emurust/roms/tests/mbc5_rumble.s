; MBC5 with rumble: nine bits of ROM bank, bank 0 allowed high, bit 3 of the RAM bank drives the motor.
	.include "library.inc"
loop:
	ld	c, #0
banks:
	ld	a, b
	add	a, c
	ld	(0x2000), a
	ld	a, c
	ld	(0x3FFF), a
	log_at	0x4001
	log_at	0x4003
	poke	0x2FFF, 0x00
	log_at	0x4001
	log_at	0x4003
	ld	a, c
	ld	(0x5FFF), a		; RAM bank; bit 3 is the motor
	poke	0x0000, 0x0A
	ld	a, b
	xor	c
	ld	(0xA010), a
	log_at	0xA010
	poke	0x0000, 0x1A		; only exactly 0A switches the RAM on
	log_at	0xA010
	poke	0xA010, 0x99
	inc	c
	ld	a, c
	cp	#12
	jr	nz, banks
	end_turn loop
