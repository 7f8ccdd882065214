"""Parse lines of numbers and words from bytes; all text formats use this one loop.

A line consists of fields, separated by blanks, or by delimiters with blanks around the fields; `classes` gives the role
of each byte. Each wanted field goes to a column: a whole number (a vertex), a number (a weight, a coordinate), or the
span of a word. Numbers that are not whole are only listed, as *hard*; kernels/cpu/decimals.py converts them, and is
compiled only if there are any. At the first line that does not fit, the loop stops and reports where and why.

Invariant: the text ends with a newline, and no scan runs past it. Positions are unsigned, which saves the test for
negative indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel

# The role of a byte.
OTHER, BLANK, DELIMITER, NEWLINE, QUOTE = range(5)

# What a column holds.
INTEGER, NUMBER, WORD = range(3)

# What the loop reports: the entries of its state, and why it stopped.
ROWS, LINES, POSITION, STATUS, HARD = range(5)
DONE, TOO_FEW, TOO_MANY, NOT_WHOLE, OUT_OF_RANGE, TOO_LARGE, EMPTY, WRONG_LINE, UNCLOSED, AFTER, FULL = range(11)

SPAN = 31  # a word is start << SPAN | length
ONE = np.uint64(1)
_NEWLINE, _PLUS, _MINUS, _ZERO, _NINE, _DIGIT = 10, 43, 45, 48, 57, 15
_MOST_DIGITS = np.uint64(19)  # numbers of 19 digits are below 2**64
_INT64_MAX = np.uint64(2**63 - 1)


@inlined
def skip_blanks(text: Any, p: Any, classes: Any) -> Any:
    """Return the first position from p on that is not a blank."""
    while classes[text[p]] == BLANK:
        p += ONE
    return p


@inlined
def skip_line(text: Any, p: Any) -> Any:
    """Return the position of the newline that ends the line."""
    while text[p] != _NEWLINE:
        p += ONE
    return p


@inlined
def field_end(text: Any, p: Any, classes: Any, delimited: bool) -> Any:
    """Return the end of a field without quotes: a delimiter, a newline, or a blank if blanks separate fields."""
    while True:
        kind = classes[text[p]]
        if kind in (NEWLINE, DELIMITER) or (kind == BLANK and not delimited):
            return p
        p += ONE


@inlined
def closing_quote(text: Any, p: Any) -> Any:
    """Return the position of the quote that closes the one at p, or of the newline if there is none."""
    quote = text[p]
    p += ONE
    while text[p] != quote and text[p] != _NEWLINE:
        p += ONE
    return p


@inlined
def scan_integer(text: Any, p: Any) -> Any:
    """Return (status, value, position after) of a whole number with an optional sign."""
    negative = text[p] == _MINUS
    if negative or text[p] == _PLUS:
        p += ONE
    start = p
    while text[p] == _ZERO:
        p += ONE
    first = p
    value = np.uint64(0)
    while text[p] >= _ZERO and text[p] <= _NINE:
        value = value * np.uint64(10) + np.uint64(text[p] & _DIGIT)
        p += ONE
    status = DONE
    if p == start:
        status = NOT_WHOLE
    if p - first > _MOST_DIGITS or (p - first == _MOST_DIGITS and value > _INT64_MAX):
        status = TOO_LARGE
    signed = np.int64(value)
    return status, -signed if negative else signed, p


@inlined
def take_word(text: Any, p: Any, classes: Any, delimited: bool, integers: Any, column: int, row: int) -> Any:
    """Store the span of the word at p if it belongs to a column; return (status, position after)."""
    start = p
    if classes[text[p]] == QUOTE:
        p = closing_quote(text, p)
        if text[p] == _NEWLINE or classes[text[p + ONE]] == QUOTE:
            return UNCLOSED, start
        start += ONE
        stop = p
        p += ONE
    else:
        p = field_end(text, p, classes, delimited)
        stop = p
        while stop > start and classes[text[stop - ONE]] == BLANK:
            stop -= ONE
    if column >= 0:
        integers[column, row] = (np.int64(start) << SPAN) | np.int64(stop - start)
    return DONE, p


@inlined
def take_integer(text: Any, p: Any, classes: Any, bounds: Any, integers: Any, column: int, row: int) -> Any:
    """Store the whole number at p; return (status, position after it, or p if it is wrong)."""
    status, value, after = scan_integer(text, p)
    if status == DONE and classes[text[after]] == OTHER:
        status = NOT_WHOLE
    if status == DONE and (value < bounds[0] or value > bounds[1]):
        status = OUT_OF_RANGE
    integers[column, row] = value
    return status, after if status == DONE else p


@inlined
def take_number(text: Any, p: Any, classes: Any, columns: Any, column: int, row: int, state: Any) -> Any:
    """Store the number at p if it is whole, else list it as hard; return (status, position after)."""
    integers, numbers, hard = columns
    status, value, after = scan_integer(text, p)
    integers[column, row] = value
    numbers[column, row] = np.float64(value)
    if status != DONE or classes[text[after]] == OTHER:
        while classes[text[after]] == OTHER:
            after += ONE
        h = state[HARD]
        hard[h, 0] = column
        hard[h, 1] = row
        hard[h, 2] = np.int64(p)
        hard[h, 3] = np.int64(after)
        state[HARD] = h + 1
    return DONE, after


@inlined
def parse_line(text: Any, p: Any, row: int, layout: Any, columns: Any, state: Any) -> Any:
    """Store the wanted fields of the line that begins at p; return (status, position of its end or its fault)."""
    classes, _, _, delimited, wanted, kinds, bounds, most = layout
    field = 0
    while text[p] != _NEWLINE:
        column = wanted[field] if field < len(wanted) else -1
        kind = kinds[column] if column >= 0 else WORD
        status = DONE
        if classes[text[p]] == DELIMITER:
            if column >= 0:
                return EMPTY, p
        elif kind == WORD:
            status, p = take_word(text, p, classes, delimited, columns[0], column, row)
        else:
            opening = p
            quoted = classes[text[p]] == QUOTE
            if quoted:
                p += ONE
            if kind == INTEGER:
                status, p = take_integer(text, p, classes, bounds, columns[0], column, row)
            else:
                status, p = take_number(text, p, classes, columns, column, row, state)
            if quoted and status == DONE:
                if classes[text[p]] != QUOTE:
                    return UNCLOSED, opening
                p += ONE
        if status != DONE:
            return status, p
        field += 1
        p = skip_blanks(text, p, classes)
        if delimited:
            if classes[text[p]] == DELIMITER:
                p = skip_blanks(text, p + ONE, classes)
            elif text[p] != _NEWLINE:
                return AFTER, p
    if field < len(wanted):
        return TOO_FEW, p
    if field > most:
        return TOO_MANY, p
    return DONE, p


@kernel
def parse_rows(text: Any, begin: int, limit: int, layout: Any, columns: Any, state: Any) -> None:
    """Parse lines from ``begin`` on, until the text ends, ``limit`` rows are read, or a line does not fit.

    ``layout`` is (classes, comments, prefix, delimited, wanted, kinds, bounds, most): the role of each byte, which
    bytes begin a comment, which byte begins every other line (0: none), whether delimiters separate fields, the column
    of each field (-1: none), what columns hold, the least and the greatest whole number, and how many fields a line may
    have.

    ``columns`` is (integers, numbers, hard). Row i goes to integers[column, i] and, for columns of numbers, also to
    numbers[column, i]; ``hard`` lists (column, row, start, end) of fields that are not whole numbers.
    """
    classes, comments, prefix = layout[0], layout[1], layout[2]
    end = np.uint64(len(text))
    p = np.uint64(begin)
    rows = np.int64(0)  # a literal would compile the helpers a second time
    lines = 0
    while p < end and rows < limit:
        state[POSITION] = np.int64(p)
        p = skip_blanks(text, p, classes)
        if text[p] == _NEWLINE:
            p += ONE
            lines += 1
            continue
        # where lines begin with a letter, only a letter that stands alone begins a comment
        if comments[text[p]] and (prefix == 0 or classes[text[p + ONE]] in (BLANK, NEWLINE)):
            p = skip_line(text, p) + ONE
            lines += 1
            continue
        if rows == columns[0].shape[1]:
            state[STATUS] = FULL
            break
        if prefix != 0:
            if text[p] != prefix or classes[text[p + ONE]] != BLANK:
                state[STATUS] = WRONG_LINE
                break
            p = skip_blanks(text, p + ONE, classes)
        status, p = parse_line(text, p, rows, layout, columns, state)
        if status != DONE:
            state[STATUS] = status
            state[POSITION] = np.int64(p)
            break
        p += ONE
        rows += 1
        lines += 1
    if state[STATUS] == DONE:
        state[POSITION] = np.int64(p)
    state[ROWS] = rows
    state[LINES] = lines


@kernel
def parse_lists(text: Any, classes: Any, comments: Any, values: Any, ends: Any, state: Any) -> None:
    """Parse lines of any number of whole numbers: all ``values``, and for each line where its values end.

    Comment lines are skipped; an empty line is an empty list. state[HARD] is the number of values.
    """
    p = np.uint64(0)
    end = np.uint64(len(text))
    count = 0
    rows = 0
    while p < end:
        p = skip_blanks(text, p, classes)
        if comments[text[p]]:
            p = skip_line(text, p) + ONE
            state[LINES] += 1
            continue
        while text[p] != _NEWLINE:
            status, value, after = scan_integer(text, p)
            if status == DONE and classes[text[after]] == OTHER:
                status = NOT_WHOLE
            if status != DONE:
                state[STATUS] = status
                state[POSITION] = np.int64(p)
                return
            values[count] = value
            count += 1
            p = skip_blanks(text, after, classes)
        p += ONE
        ends[rows] = count
        rows += 1
        state[LINES] += 1
    state[ROWS] = rows
    state[HARD] = count
