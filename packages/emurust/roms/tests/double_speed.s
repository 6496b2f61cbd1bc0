; Double speed: how far DIV, TIMA and LY get in the same code, before and after STOP.
	.include "library.inc"
	io	0x06, 0x80
	io	0x07, 0x05
	io	0xFF, 0x05
	ei
loop:
	log_io	0x4D
	log_io	0x04
	log_io	0x05
	log_io	0x44
	io	0x02, 0x81		; a serial transfer takes equally long in both speeds
	ld	a, b
	and	#0x3F
	inc	a
	wait_loops
	log_io	0x02
	log_io	0x04
	log_io	0x05
	log_io	0x44
	ld	c, #0			; turns per line
line:
	inc	c
	ldh	a, (0x44)
	cp	#80
	jr	nz, line
	ld	a, c
	ld	(hl+), a
	io	0x46, 0xC0		; OAM DMA counts CPU cycles
	ld	a, #50
	wait_loops
	log_at	0xFE04
	ld	a, b
	and	#3
	jr	nz, same
	io	0x4D, 0x01
	log_io	0x4D
	stop
	log_io	0x4D
	log_io	0x04
	log_io	0x05
	log_io	0x41
same:
	stop				; not asked for: does nothing
	log_io	0x4D
	end_turn loop
