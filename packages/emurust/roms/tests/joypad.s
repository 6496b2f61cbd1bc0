; The joypad port: its value is that of the last write; every press interrupts, whatever row is selected.
	.include "library.inc"
	io	0xFF, 0x10
	ei
loop:
	log_io	0x00			; not written since the last turn
	io	0x00, 0x20
	log_io	0x00
	log_io	0x00
	io	0x00, 0x10
	log_io	0x00
	io	0x00, 0x00
	log_io	0x00
	io	0x00, 0x30
	log_io	0x00
	io	0x00, 0xDF
	log_io	0x00
	log_io	0x0F
	bit	3, b
	jr	z, halted
	ld	a, b
	wait_loops
	end_turn loop
halted:
	ldh	a, (0x44)		; until LY moves on
	ld	d, a
same:
	ldh	a, (0x44)
	cp	d
	jr	z, same
	bit	0, b
	jr	z, rows
	io	0x00, 0x20		; leave a row selected
rows:
	end_turn loop
