"""What the pages get on their way into the site: contents, and links to guides that were run.

Pages stay plain Markdown, which a file browser shows as it is. So what only Sphinx needs is here.
"""

from __future__ import annotations

import re
from typing import Any

CONTENTS = {
    "index": ["start", "guides/index", "coming-from", "reference/index", "explanation", "benchmarks", "changes"],
    "start": ["recipes", "names"],
    "coming-from": ["from-networkx", "from-scipy", "from-igraph", "from-osmnx", "from-sparry"],
    "explanation": ["methods", "exact", "gpu", "architecture"],
}
SUBJECTS = [
    "graphs", "queries", "places", "turns", "metrics", "pictures", "explorer", "prepared", "stores", "scale", "cluster",
    "devices",
]  # fmt: skip


def prepare(app: Any, name: str, source: list[str]) -> None:
    """Change the text of a page before Sphinx reads it."""
    text = re.sub(r"\]\(gallery/(\w+)\.py\)", r"](guides/\1.rst)", source[0])
    text = text.replace("](../CHANGELOG.md)", "](changes.md)")
    text = _close_examples(text)
    if name in CONTENTS:
        entries = "\n".join(CONTENTS[name])
        text += f"\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"
    if name == "guides/index":
        entries = "\n   ".join(f"/{subject}" for subject in SUBJECTS)
        text += f"\n\nBy subject\n----------\n\n.. toctree::\n   :maxdepth: 1\n\n   {entries}\n"
    source[0] = text


def _close_examples(text: str) -> str:
    """Remove the blank lines with which examples end for doctest, and which would be shown."""
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            while inside and lines and not lines[-1].strip():
                lines.pop()
            inside = not inside
        lines.append(line)
    return "\n".join(lines)
