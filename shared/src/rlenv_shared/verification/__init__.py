"""Recording, comparing and replaying episodes, references as processes, and what a package declares about them."""
