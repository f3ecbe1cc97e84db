"""Documents of a project: their headings, their links, and whether they are complete."""
