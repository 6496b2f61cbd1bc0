; GDMA and HDMA: from ROM and work RAM, cut off, over the end of video RAM, while halted, with the LCD off.
	.include "library.inc"
	.macro	transfer source, target, control
	ld	a, #>source
	ldh	(0x51), a
	ld	a, #<source
	ldh	(0x52), a
	ld	a, #>target
	ldh	(0x53), a
	ld	a, #<target
	ldh	(0x54), a
	ld	a, #control
	ldh	(0x55), a
	.endm
	io	0xFF, 0x01
	ei
loop:
	ld	a, b
	ld	(0xD000), a
	cpl
	ld	(0xD01F), a
	log_io	0x04
	transfer 0x4000, 0x8010, 0x01		; at once, two blocks
	log_io	0x55
	log_io	0x04
	log_io	0x44
	io	0x4F, 1
	transfer 0xD00F, 0x9337, 0x02		; low nibbles are not there
	log_io	0x55
	io	0x4F, 0
	ld	a, b
	and	#0x1F
	inc	a
	wait_loops
	transfer 0xD000, 0x9FC0, 0x87		; a block each HBlank, over the end of video RAM
	log_io	0x55
	ld	a, #40
	wait_loops
	log_io	0x55
	log_io	0x44
	bit	0, b
	jr	z, go_on
	io	0x55, 0x00			; cut off
	log_io	0x55
	io	0x55, 0x03			; and at once again
	log_io	0x55
go_on:
	log_io	0x51
	halt					; blocks wait while halted
	nop
	log_io	0x55
	log_io	0x44
	transfer 0x0150, 0x8800, 0x9F
	ld	a, #0
	wait_loops
	log_io	0x55
	bit	1, b
	jr	z, ends
	io	0x55, 0x81			; a running transfer takes a new length
	log_io	0x55
ends:
	ld	a, #0
	wait_loops
	log_io	0x55
	ld	a, b
	and	#0x0F
	jr	nz, screen_stays
	wait_line 150
	io	0x40, 0x11			; LCD off: one block at once, the rest waits
	transfer 0x0150, 0x8C00, 0x82
	log_io	0x55
	ld	a, #20
	wait_loops
	log_io	0x55
	io	0x40, 0x91
screen_stays:
	end_turn loop
