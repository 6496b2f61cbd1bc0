; MBC3 with a clock: set just before the day counter overflows, latched and read every frame.
	.include "library.inc"
	.macro	set_clock register, value
	poke	0x4000, register
	poke	0xA000, value
	.endm
	.macro	log_clock
	poke	0x4000, 0x08
	log_at	0xA000
	poke	0x4000, 0x09
	log_at	0xA123
	poke	0x4000, 0x0A
	log_at	0xBFFF
	poke	0x4000, 0x0B
	log_at	0xA000
	poke	0x4000, 0x0C
	log_at	0xA000
	.endm
	poke	0x0000, 0x0A
	set_clock 0x08, 58
	set_clock 0x09, 59
	set_clock 0x0A, 23
	set_clock 0x0B, 0xFF
	set_clock 0x0C, 0x01
	io	0xFF, 0x01
	ei
loop:
	poke	0x6000, 0
	poke	0x6000, 1
	log_clock
	ld	a, b
	cp	#130
	jr	nz, not_stopped
	set_clock 0x0C, 0x41		; stop it
not_stopped:
	ld	a, b
	cp	#140
	jr	nz, not_odd
	set_clock 0x0C, 0x80		; go on with the carry set by hand
	set_clock 0x08, 0x3E		; seconds beyond 59 run to 63 and carry nothing
	set_clock 0x09, 0x7B
not_odd:
	poke	0x6000, 1		; no new latch without a 0 before
	log_clock
	; RAM banks, and the ROM bank's seven bits
	ld	c, #0
banks:
	ld	a, c
	ld	(0x4000), a
	ld	a, b
	add	a, c
	ld	(0xA000), a
	log_at	0xA000
	ld	a, c
	rrca
	ld	(0x2000), a
	log_at	0x4001
	inc	c
	ld	a, c
	cp	#4
	jr	nz, banks
	poke	0x0000, 0x00
	poke	0x4000, 0x08
	log_at	0xA000			; RAM off: nothing to read
	poke	0x0000, 0x0A
	halt
	nop
	end_turn loop
