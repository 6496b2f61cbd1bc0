"""What happens is made of this: damage, stages, statuses, fainting, the field, what players are told."""
