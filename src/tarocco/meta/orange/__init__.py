"""ORANGE (Lin and Och 2004): ranks references within n-best lists. `tarocco orange`."""
