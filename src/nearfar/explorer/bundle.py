"""The modules of the page as one, for notebooks, which take one text of JavaScript.

Every module becomes a function that returns what it exports, so that two modules may use one name for two things.
"""

from __future__ import annotations

import json
import re
from functools import cache

from .files import MODULES, read_file

IMPORT = re.compile(r'^import \{ (.*?) \} from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
PAGE = re.compile(r"<!-- begin -->\n(.*)<!-- end -->", re.DOTALL)


@cache
def bundle() -> str:
    """Return the page of a notebook as one module, with the function ``render`` that widgets have."""
    page = PAGE.search(read_file("").decode())
    assert page is not None
    parts = [f"const PAGE = {json.dumps(page[1])};", *(_wrapped(name) for name in MODULES)]
    return "\n".join((*parts, "export default { render: $widget.render };", ""))


def _wrapped(name: str) -> str:
    """Return a module as a function that is called at once."""
    text = read_file(f"{name}.js").decode()
    exports = ", ".join(found[2] for found in EXPORT.finditer(text))
    inside = EXPORT.sub(r"\1", IMPORT.sub(r"const { \1 } = $\2;", text))
    return f"const ${name} = (() => {{\n{inside}\nreturn {{ {exports} }};\n}})();"
