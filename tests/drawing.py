"""What an SVG file shows."""

from xml.etree import ElementTree


class Drawing:
    """An SVG, and the marks in it."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)

    def marks(self, kind, role="role-mark"):
        """The marks of a kind and role, group by group, in the order in which they are drawn."""
        groups = [group for group in self.root.iter() if {f"mark-{kind}", role} <= set(group.get("class", "").split())]
        return [list(group) for group in groups]

    def texts(self, role):
        return [[mark.text for mark in group] for group in self.marks("text", role)]
