"""A length scale that another toy imports, so that its source belongs to that simulator's cells."""

SCALE = 2.0
