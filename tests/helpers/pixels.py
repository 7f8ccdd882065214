"""The pixels of a picture, to ask where a colour is."""

from __future__ import annotations

import io

import numpy as np


def pixels(picture):
    """Return rows x columns x (red, green, blue), from 0 to 255, as they are in the .png file."""
    from matplotlib.image import imread

    image = imread(io.BytesIO(picture.to_bytes("png")))
    return (image[..., :3] * 255).round().astype(int)


def rgb(colour):
    """Return a colour of matplotlib as (red, green, blue), from 0 to 255."""
    from matplotlib.colors import to_rgb

    return np.round(np.multiply(to_rgb(colour), 255)).astype(int)


def near(image, colour, within=12):
    """Return where an image has a colour, or nearly so."""
    return (np.abs(image - rgb(colour)) <= within).all(axis=2)


def drawing(picture):
    """Return left, top, width and height of the drawing on the page, in pixels."""
    axes = picture.figure.axes[0].get_position()
    high = picture.height
    return (
        round(axes.x0 * picture.width),
        round(high - axes.y1 * high),
        round(axes.width * picture.width),
        round(axes.height * high),
    )
