; Vectors, start-up and the routine that must run from high RAM.
	.module	crt0
	.globl	_main
	.globl	_copy_objects
	.area	_HEADER (ABS)
	.org	0x0040
	jp	on_vblank
	.org	0x0100
	nop
	jp	start
	.org	0x0150
on_vblank:
	reti				; waking HALT is all it is for
start:
	di
	ld	sp, #0xDFFE
	ld	hl, #0xC000		; clear work RAM up to the stack
	ld	bc, #0x1F00
clear:
	xor	a
	ld	(hl+), a
	dec	bc
	ld	a, b
	or	c
	jr	nz, clear
	ld	hl, #transfer		; OAM is busy while it is copied, and so is the ROM on real hardware
	ld	de, #0xFF80
	ld	b, #transfer_end - transfer
copy:
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	b
	jr	nz, copy
	call	_main
_copy_objects::
	jp	0xFF80
transfer:
	ld	a, #0xC0		; the page of shadow_oam
	ldh	(0x46), a
	ld	a, #40
busy:
	dec	a
	jr	nz, busy
	ret
transfer_end:
	.area	_HOME
	.area	_CODE
	.area	_INITIALIZER
	.area	_GSINIT
	.area	_GSFINAL
	.area	_DATA
	.area	_INITIALIZED
	.area	_BSS
