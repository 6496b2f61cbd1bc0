"""The rules of a battle, one family of mechanics to a file; each reads like the mechanics."""
