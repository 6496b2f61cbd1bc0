; MBC2: address bit 8 tells bank select from RAM enable, 512 nibbles that echo.
	.include "library.inc"
loop:
	ld	c, #0
banks:
	ld	a, c
	ld	(0x2100), a		; bit 8 set: ROM bank, 0 acts as 1
	log_at	0x4001
	ld	a, c
	ld	(0x3EFF), a		; bit 8 clear: RAM on if the low nibble is A
	log_at	0xA000
	log_at	0x4001
	ld	a, c
	swap	a
	or	#0x05
	ld	(0x01FF), a		; selects a bank below 2000 too; the high nibble is not there
	log_at	0x4001
	ld	(0x4100), a		; nothing is connected here
	log_at	0x4001
	inc	c
	ld	a, c
	cp	#20
	jr	nz, banks
	poke	0x0000, 0x0A
	ld	a, b
	ld	(0xA000), a
	swap	a
	ld	(0xA1FF), a
	inc	a
	ld	(0xBE01), a		; echo of A001... of A001 + 0x200 * 15
	log_at	0xA000
	log_at	0xA1FF
	log_at	0xA001
	log_at	0xA200
	log_at	0xB401
	poke	0x0000, 0x0B
	poke	0xA000, 0x55
	log_at	0xA000
	poke	0x0000, 0xFA
	log_at	0xA000
	end_turn loop
