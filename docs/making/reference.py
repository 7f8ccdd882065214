"""The reference: which members of a class it shows, and where a name in a docstring leads."""

from __future__ import annotations

from typing import Any

from docutils import nodes

# Members that serve other modules of nearfar: they may change without notice, and nobody else needs them.
INNER = frozenset(
    (
        "arc_bytes", "busiest", "cancel", "closedness", "hierarchy_of", "host_dist", "irregularity",
        "is_solved_again", "is_vertex", "known_reverse", "known_trees", "labels", "layouts", "leaf_count", "leaves",
        "like", "memo", "new_run", "opened", "origins", "overlay", "parts", "places", "renumbered", "require_alive",
        "require_memory", "scattered", "searched", "searched_back", "seeds_of", "solved_again", "starts_of",
        "starts_of_each", "stored_place", "submit", "tell", "towards_sources", "typical_weight", "usual_levels",
        "vertices_on", "whole_rows",
    )
)  # fmt: skip


def leave_out(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the inner members of classes; errors have public ones only, and are made by nearfar."""
    return True if name == "__init__" or (what == "class" and name in INNER) else None


def find(app: Any, env: Any, node: Any, shown: nodes.Node) -> nodes.Node | None:
    """Lead a name such as `Graph.rows` to what is called so; leave names that are not ours without a link.

    Where several objects are called so, the one with the shortest address is meant, which is the most public one. A
    name that begins as one of ours and leads nowhere is left to Sphinx, which warns.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    objects = env.domains["py"].objects
    found = sorted((name for name in objects if name.endswith("." + target)), key=lambda name: name.count("."))
    if not found:
        ours = target.startswith("nearfar.") or f"nearfar.{target.partition('.')[0]}" in objects
        return None if ours and "(" not in target else shown
    page = objects[found[0]]
    where = app.builder.get_relative_uri(node["refdoc"], page.docname) + "#" + page.node_id
    return nodes.reference("", "", shown, internal=True, refuri=where, reftitle=found[0])
