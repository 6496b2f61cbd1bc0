"""What can be done to a timer: let cycles pass, write a register, reset the divider."""

ACTIONS = (
    *(("tick", cycles) for cycles in (1, 4, 8, 12, 24, 100, 256, 700)),
    *(("tac", value) for value in (0, 4, 5, 6, 7)),
    *(("tima", value) for value in (0, 0xFE, 0xFF)),
    *(("tma", value) for value in (0, 0x80, 0xFF)),
    ("div", 0),
)
