"""Small simulators whose behaviour is known, for the tests of cells, engines and confrontation."""
