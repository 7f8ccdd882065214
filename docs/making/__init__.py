"""How the site is made: contents, reference, pictures of guides, links."""
