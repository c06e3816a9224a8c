"""Strokes of a finger, and what they reveal."""

from __future__ import annotations

import math

from coepg.types import Point

OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}
"""A finger that moves up reveals what is below: content moves with the finger."""

TAP_DISTANCE = 0.04
"""Touch and lift at most this far apart (in units of width and height) are a tap: AITW."""


def finger_direction(touch: Point, lift: Point) -> str:
    """The main axis of a stroke; equal extents count as vertical, as GUI-Odyssey has it."""
    dx, dy = lift.x - touch.x, lift.y - touch.y
    if abs(dx) > abs(dy):
        return "left" if dx < 0 else "right"
    return "up" if dy < 0 else "down"


def content_direction(touch: Point, lift: Point) -> str:
    """Where the content lies that a stroke reveals: the meaning of a step's scroll."""
    return OPPOSITE[finger_direction(touch, lift)]


def is_tap(touch: Point, lift: Point) -> bool:
    """Whether touch and lift are one place (AITW: distance at most 0.04 in 0..1 units)."""
    return math.dist((touch.x, touch.y), (lift.x, lift.y)) <= TAP_DISTANCE
