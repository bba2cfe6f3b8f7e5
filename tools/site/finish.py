"""The last touches on built HTML: what its pages do not use goes, what a browser minds is mended.

The theme brings every icon of Font Awesome, twice: as fonts and as a 1.5 MB script. The fonts alone
draw them all, and a book uses about twenty.
"""

import logging
import re
from pathlib import Path

from fontTools import subset

ICON_SCRIPT = re.compile(r'\s*<script[^>]*src="[^"]*fontawesome\.js[^"]*"[^>]*></script>')
# The empty corner of a table heads nothing; screen readers would announce a heading without a name.
EMPTY_HEADER = re.compile(r"<th[^>]*>\s*(?:<p>\s*</p>)?\s*</th>")
# The theme leaves what stands beside the list of pages outside of any landmark.
SIDEBAR = '<div id="pst-primary-sidebar"'
SIDEBAR_LANDMARK = f'{SIDEBAR} role="complementary" aria-label="The book"'
# A name that hides the words of the fold from screen readers, and is the same for all.
FOLD_NAME = '<summary aria-label="Toggle hidden content">'
ICON_NAME = re.compile(r"\bfa-[a-z0-9-]+")
# In the theme's style sheet: .fa-moon:before,.fa-other-name:before{content:"\f186"}
ICON_RULE = re.compile(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"[^"]*"\}')
ICON_CHARACTER = re.compile(r'"\\([ef][0-9a-f]{3})"')


def text_of(paths: list[Path]) -> str:
    """Return the text of files, joined."""
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def without_unused_icons(style: str, names: set[str]) -> str:
    """Return a style sheet without the rules for icons that no page names."""
    return ICON_RULE.sub(
        lambda rule: rule[0] if names & set(ICON_NAME.findall(rule[1])) else "", style
    )


def cut_font(path: Path, characters: set[int]) -> None:
    """Leave only these characters in a font file."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    options = subset.Options(flavor="woff2", ignore_missing_unicodes=True)
    font = subset.load_font(str(path), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    subset.save_font(font, str(path), options)


def finish(html: Path) -> None:
    """Finish a folder of built HTML, in place."""
    unused = ["**/fontawesome.js*", "**/*.map", "_static/*webpack-macros.html"]
    for path in {path for pattern in unused for path in html.glob(pattern)}:
        path.unlink()
    pages = list(html.rglob("*.html"))
    for page in pages:
        text = ICON_SCRIPT.sub("", page.read_text(encoding="utf-8"))
        text = text.replace(FOLD_NAME, "<summary>").replace(SIDEBAR, SIDEBAR_LANDMARK)
        page.write_text(EMPTY_HEADER.sub("<td></td>", text), encoding="utf-8")
    names = set(ICON_NAME.findall(text_of([*pages, *html.rglob("*.js")])))
    styles = list(html.rglob("*.css"))
    for style in styles:
        text = style.read_text(encoding="utf-8")
        style.write_text(without_unused_icons(text, names), encoding="utf-8")
    characters = {int(code, 16) for code in ICON_CHARACTER.findall(text_of(styles))}
    for font in html.rglob("vendor/fontawesome/webfonts/*.woff2"):
        cut_font(font, characters)
    for font in html.rglob("vendor/fontawesome/webfonts/*.ttf"):
        font.unlink()  # for browsers from before 2015
