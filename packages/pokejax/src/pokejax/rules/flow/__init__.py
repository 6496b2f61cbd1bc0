"""What happens in a battle, and when: the turn, its queue, entries, moves and their hits, the end of a turn."""
