"""Random battles as a learner takes them: one seat against opponents, and what public facts say of each action."""
