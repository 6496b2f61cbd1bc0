; The LCD switched off and on at lines that move: frames end early, the first one is blank, LYC written while off.
	.include "library.inc"
	io	0x45, 3
	io	0x41, 0x40
	io	0xFF, 0x03
	ei
loop:
	ld	a, b
	and	#0x7F
	ld	c, a
line:
	ldh	a, (0x44)
	cp	c
	jr	nz, line
	log_io	0x41
	io	0x40, 0x11
	log_io	0x44
	log_io	0x41
	log_io	0x0F
	ld	a, b
	and	#0x0F
	ldh	(0x45), a		; while off
	ldh	(0x47), a		; the blank picture takes BGP's colour 0
	log_io	0x41
	ld	a, b
	and	#0x3F
	inc	a
	wait_loops
	ld	a, b
	cpl
	ld	(0x8010), a
	io	0x40, 0x91
	log_io	0x41			; the first reads after switching on
	log_io	0x41
	log_io	0x44
	ld	a, #28
	wait_loops
	log_io	0x41
	log_io	0x44
	ld	a, #200
	wait_loops
	log_io	0x44
	io	0x47, 0xE4
	bit	2, b
	jr	z, again
	wait_line 143
	wait_line 153			; a whole frame
	wait_line 20
again:
	end_turn loop
