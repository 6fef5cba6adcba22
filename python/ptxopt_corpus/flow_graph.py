# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the control-flow graph of a kernel, with the regions between barriers, from `ptxopt --dot-cfg`.

The blocks stand below each other in the order of the text, so that the drawing reads as the PTX does, and a kernel of
hundreds of blocks needs no layout that crosses itself.  Branches forward run on the right, branches back on the left.
"""
import html
import re
from typing import NamedTuple

MOST_BLOCKS = 500
_GRAPH = re.compile(r'^digraph "((?:[^"\\]|\\.)*)" \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r'^  (b\d+) \[label="((?:[^"\\]|\\.)*)"', re.MULTILINE)
_EDGE = re.compile(r'^  (\w+) -> (\w+) \[label="([^"]*)"', re.MULTILINE)
_HEAD = re.compile(r"block (\d+)(?:, (\S+?))?(?:, lines? (\d+)(?:-(\d+))?)?$")
_REGION = re.compile(r"-- region (\d+) --")
_COLOURS = 8  # classes r0 .. r7 of style.css
# Pixels.
_WIDTH, _HEIGHT, _GAP, _LANE, _CHIP = 340, 46, 22, 12, 26


class Block(NamedTuple):
    name: str
    title: str
    first: int  # lines of the PTX; 0: none
    last: int
    regions: list
    removed: int  # barriers, waits and fences that went


class Graph(NamedTuple):
    blocks: list
    edges: list  # (from, to, label), by the names of blocks; "exit" is the end


def graphs(dot: str) -> dict:
    """By the name of the function."""
    return {match.group(1): Graph([_block(*found) for found in _BLOCK.findall(match.group(2))],
                                  _EDGE.findall(match.group(2))) for match in _GRAPH.finditer(dot)}


def _block(name, label):
    lines = label.replace("\\l", "\n").split("\n")
    head = _HEAD.match(lines[0])
    number, label, first, last = head.groups() if head else (name, None, None, None)
    regions = [int(region) for line in lines for region in _REGION.findall(line)]
    return Block(name, f"block {number}" + (f" {label}" if label else ""), int(first or 0), int(last or first or 0),
                 regions, sum(line.startswith("(removed") for line in lines))


def svg(graph: Graph) -> str:
    if not graph.blocks:
        return ""
    if len(graph.blocks) > MOST_BLOCKS:
        return f"<p>It has {len(graph.blocks)} blocks; a graph is drawn of up to {MOST_BLOCKS}.</p>"
    row = {block.name: k for k, block in enumerate(graph.blocks)}
    row["exit"] = len(graph.blocks)
    edges = sorted({(row[a], row[b], label) for a, b, label in graph.edges if a in row and b in row})
    forward = _lanes([edge for edge in edges if edge[1] > edge[0] + 1])
    back = _lanes([edge for edge in edges if edge[1] <= edge[0]])
    left = 16 + _LANE * (1 + max(back.values(), default=-1))
    width = left + _WIDTH + 28 + _LANE * (1 + max(forward.values(), default=-1)) + 40
    height = (len(graph.blocks) + 1) * (_HEIGHT + _GAP)
    parts = [_straight(edge, left) for edge in edges if edge[1] == edge[0] + 1]
    parts += [_side(edge, left + _WIDTH, 14 + _LANE * lane, True) for edge, lane in forward.items()]
    parts += [_side(edge, left, 8 + _LANE * lane, False) for edge, lane in back.items()]
    parts += [_box(block, k, left) for k, block in enumerate(graph.blocks)]
    end = len(graph.blocks) * (_HEIGHT + _GAP)
    parts.append(f"<text class='name' x='{left + 10}' y='{end + 22}'>end</text>")
    says = f"control-flow graph: {len(graph.blocks)} blocks, {len(edges)} edges"
    return (f"<div class='scroll flow'><svg viewBox='0 0 {width} {height}' style='width:{width}px' role='img' "
            f"aria-label='{says}'><defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
            "markerHeight='7' orient='auto'><path d='M0 0L8 4L0 8z' class='tip'/></marker></defs>"
            f"{''.join(parts)}</svg></div>")


def _lanes(edges):
    """A lane for each edge, so that none of those that overlap share one; short edges are nearest to the blocks."""
    ends, lanes = [], {}
    for edge in sorted(edges, key=lambda edge: (abs(edge[1] - edge[0]), edge)):
        low, high = min(edge[:2]), max(edge[:2])
        lane = next((k for k, taken in enumerate(ends) if all(high < a or b < low for a, b in taken)), len(ends))
        if lane == len(ends):
            ends.append([])
        ends[lane].append((low, high))
        lanes[edge] = lane
    return lanes


def _top(k):
    return k * (_HEIGHT + _GAP)


def _straight(edge, left):
    a, b, label = edge
    x = left + 30
    return (f"<path class='edge' marker-end='url(#tip)' d='M{x} {_top(a) + _HEIGHT}V{_top(b) - 1}'/>"
            f"<text x='{x + 6}' y='{_top(a) + _HEIGHT + 15}'>{html.escape(label)}</text>")


def _side(edge, x, out, is_right):
    a, b, label = edge
    start, end = _top(a) + _HEIGHT - 12, _top(b) + 12
    far = x + out if is_right else x - out
    tip = x + 1 if is_right else x - 1
    return (f"<path class='edge{'' if is_right else ' back'}' marker-end='url(#tip)' "
            f"d='M{x} {start}H{far}V{end}H{tip}'><title>{html.escape(label)}</title></path>")


def _box(block, k, left):
    top = _top(k)
    lines = (f"lines {block.first}–{block.last}" if block.last > block.first else f"line {block.first}") if block.first else ""
    went = f", {block.removed} removed" if block.removed else ""
    chips = "".join(
        f"<g class='region r{region % _COLOURS}'><rect x='{left + _WIDTH - 10 - _CHIP * (len(block.regions[:6]) - n)}' "
        f"y='{top + 22}' width='{_CHIP - 3}' height='17' rx='4'/><text x='{left + _WIDTH - 10 - _CHIP * (len(block.regions[:6]) - n) + 11}' "
        f"y='{top + 35}' text-anchor='middle'>{region}</text><title>region {region}</title></g>"
        for n, region in enumerate(block.regions[:6]))
    box = (f"<rect class='box' x='{left}' y='{top}' width='{_WIDTH}' height='{_HEIGHT}' rx='6'/>"
           f"<text class='name' x='{left + 10}' y='{top + 18}'>{html.escape(block.title)}</text>"
           f"<text x='{left + 10}' y='{top + 36}'>{lines}{went}</text>{chips}")
    return f"<a href='#l{block.first}'>{box}</a>" if block.first else box
