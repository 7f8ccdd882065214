"""How Sphinx builds the site from these pages: ``make docs``. Nothing is fetched, and warnings are errors."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
os.environ["MPLBACKEND"] = "Agg"  # guides draw without a window

import nearfar  # noqa: E402
from making import pages, reference  # noqa: E402

sys.modules["nearfar.generate"] = nearfar.generate  # a name of the package, which autodoc looks for as a module

project = "nearfar"
version = release = nearfar.__version__
project_copyright = ""
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["making/templates"]
exclude_patterns = ["gallery", "making", "guides/*.ipynb", "guides/*.py"]
nitpicky = True
show_warning_types = True
smartquotes = False  # options are quoted as they are typed

# Markdown: headings have anchors, as where the pages are read without Sphinx.
myst_heading_anchors = 4
myst_links_external_new_tab = False

# The reference: one page per function and class, from docstrings.
default_role = "py:obj"
add_function_parentheses = False
add_module_names = False
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_class_signature = "separated"  # and so left out: objects come from functions
autodoc_typehints = "none"  # the docstrings say the types in words
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False  # the template lists them
numpydoc_class_members_toctree = False

# Guides: scripts that are run, with the pictures that they draw.
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "guides",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "making.pictures.Order",
    "image_scrapers": ("making.pictures.scrape",),
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"nearfar\.draw",
    "plot_gallery": True,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,  # no times: the same sources make the same pages
    "write_computation_times": False,
    "reset_modules": (),
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "nearfar"
html_logo = html_favicon = "../src/nearfar/explorer/page/icon.svg"
html_static_path = ["making/static"]
html_css_files = ["style.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_last_updated_fmt = None
html_sidebars = {"index": [], "changes": [], "benchmarks": []}
html_theme_options = {
    "logo": {"text": "nearfar"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "show_nav_level": 1,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["release"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app: Any) -> None:
    """Connect what is ours: contents and links of pages, and which members the reference shows."""
    app.connect("source-read", pages.prepare)
    app.connect("autodoc-skip-member", reference.leave_out)
    app.connect("missing-reference", reference.find)
