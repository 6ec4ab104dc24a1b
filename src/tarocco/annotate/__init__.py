"""From text to linguistic structure: analyzers, and files that other analyzers wrote, behind one interface."""
