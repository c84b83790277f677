"""Turns a CFF font into a TrueType one and makes its digits tabular.

Usage: truetype.py SOURCE.otf TARGET.ttf

TrueType, because every rasteriser that Keva runs on draws it. Tabular, because the toolkit can't switch font features:
a counter whose digits differ in width would shake.
"""

import sys

from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont, newTable


def outlines(font, max_error):
    """Quadratic outlines of all glyphs; max_error is in font units."""
    source = font.getGlyphSet()
    glyphs = {}
    for name in font.getGlyphOrder():
        pen = TTGlyphPen(source)
        source[name].draw(Cu2QuPen(pen, max_error, reverse_direction=True))
        glyphs[name] = pen.glyph()
    return glyphs


def to_truetype(font):
    order = font.getGlyphOrder()
    glyf = newTable("glyf")
    glyf.glyphOrder = order
    glyf.glyphs = outlines(font, font["head"].unitsPerEm / 600)
    font["glyf"] = glyf
    font["loca"] = newTable("loca")
    del font["CFF "]
    if "VORG" in font:
        del font["VORG"]
    for name in order:
        glyf[name].recalcBounds(glyf)
        width, _ = font["hmtx"][name]
        font["hmtx"][name] = (width, getattr(glyf[name], "xMin", 0))
    maxp = font["maxp"] = newTable("maxp")
    maxp.tableVersion = 0x00010000
    for field in ("maxZones maxTwilightPoints maxStorage maxFunctionDefs maxInstructionDefs maxStackElements "
                  "maxSizeOfInstructions maxComponentElements").split():
        setattr(maxp, field, 0)
    maxp.maxZones = 1
    maxp.numGlyphs = len(order)
    post = font["post"]
    post.formatType = 3.0
    font.sfntVersion = "\x00\x01\x00\x00"


def tabular(font):
    """Points the digits at their tabular glyphs."""
    gsub = font["GSUB"].table
    indices = {i for r in gsub.FeatureList.FeatureRecord if r.FeatureTag == "tnum" for i in r.Feature.LookupListIndex}
    mapping = {}
    for i in indices:
        for sub in gsub.LookupList.Lookup[i].SubTable:
            sub = getattr(sub, "ExtSubTable", sub)
            mapping.update(getattr(sub, "mapping", {}))
    changed = 0
    for table in font["cmap"].tables:
        for code in range(ord("0"), ord("9") + 1):
            if table.cmap.get(code) in mapping:
                table.cmap[code] = mapping[table.cmap[code]]
                changed += 1
    digits = [font.getBestCmap()[c] for c in range(ord("0"), ord("9") + 1)]
    widths = {font["hmtx"][d][0] for d in digits}
    # The beta that Debian carries is off by one thousandth of an em in some digits.
    if not changed or max(widths) - min(widths) > font["head"].unitsPerEm / 500:
        sys.exit(f"digits are not tabular: {changed} changed, widths {sorted(widths)}")
    for d in digits:
        font["hmtx"][d] = (max(widths), font["hmtx"][d][1])


def main():
    source, target = sys.argv[1:]
    font = TTFont(source)
    tabular(font)
    to_truetype(font)
    font.save(target)


main()
