"""The public address of the course, set everywhere at once.

Usage: python -m tools.site.address owner/name

The address is a GitHub repository, `owner/name`, and the Pages site that belongs to it. Which one
is in the files now is read from `repository.url` in `_config.yml`.
"""

import re
import subprocess
import sys
from pathlib import Path

OWNER = r"(?=[^/]{1,39}/)[A-Za-z0-9](?:-?[A-Za-z0-9])*"
NAME = r"[A-Za-z0-9._-]{1,100}?"
SLUG = re.compile(rf"(?:https://github\.com/)?({OWNER})/({NAME})(?:\.git)?/?")


def parse(text: str) -> str:
    """Return the `owner/name` in `text`, which may also be the repository's https address.

    Raises:
        ValueError: `text` is neither, or GitHub would not take it.
    """
    match = SLUG.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{text!r} is not the address of a GitHub repository. Give owner/name, as in "
            "`make address SLUG=ada/lockstep`, or https://github.com/owner/name . An owner is made "
            "of letters, digits and single hyphens; a name may also have dots and underscores."
        )
    owner, name = match.groups()
    if name in {".", ".."} or name.lower().endswith(".github.io"):
        raise ValueError(
            f"{text!r} cannot hold the course: its book is published under "
            "https://OWNER.github.io/NAME/ , so the repository needs a name of its own."
        )
    return f"{owner}/{name}"


def current(root: Path) -> str:
    """Return the `owner/name` of `_config.yml` below `root`.

    Raises:
        ValueError: `repository.url` is missing there or is no GitHub address.
    """
    # Not PyYAML, so that this runs under whatever Python the machine has.
    url = re.search(
        r"""^repository:.*\n(?:(?:[ #].*)?\n)*? +url: *["']?([^\s"']+)""",
        (root / "_config.yml").read_text(),
        re.MULTILINE,
    )
    if url is None:
        raise ValueError("_config.yml has no `repository.url`, which holds the current address.")
    return parse(url[1])


def is_set(root: Path) -> bool:
    """Say whether the course below `root` has a public address."""
    return "NOT-SET" not in current(root)


def colab(root: Path, notebook: str) -> str:
    """Return the address at which Colab opens a notebook of the repository."""
    return f"https://colab.research.google.com/github/{current(root)}/blob/main/{notebook}"


def replace(root: Path, old: str, new: str) -> list[str]:
    """Put `new` in place of `old` in every file below `root` that git tracks.

    Bytes are replaced, so that line ends and file modes stay; binary files and links are left out.

    Args:
        root: the root of a git repository.
        old: the `owner/name` that is in the files.
        new: the `owner/name` to write.

    Returns:
        The paths of the files that changed, relative to `root`.
    """
    old_site, new_site = (slug.replace("/", ".github.io/") for slug in (old, new))
    # One pass, so that what was just written is never replaced again. The guards keep
    # "ada/lockstep" out of "nevada/lockstep" and "ada/lockstep-2", but not out of
    # "ada/lockstep.git" or the end of a sentence.
    pattern = re.compile(
        rf"(?<![\w.-])(?:({re.escape(old)})|{re.escape(old_site)})(?![\w-]|\.(?!git\b)\w)".encode(),
        re.IGNORECASE,
    )
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True
    ).stdout
    changed = []
    for path in sorted(filter(None, listing.split("\0"))):
        file = root / path
        if file.is_symlink() or not file.is_file():
            continue
        before = file.read_bytes()
        if b"\0" in before:
            continue
        after = pattern.sub(lambda match: (new if match[1] else new_site).encode(), before)
        if after != before:
            file.write_bytes(after)
            changed.append(path)
    return changed


def main() -> int:
    if len(sys.argv) != 2 or not sys.argv[1]:
        print("Give the repository: make address SLUG=owner/name", file=sys.stderr)
        return 2
    root = Path.cwd()
    try:
        new = parse(sys.argv[1])
        old = current(root)
    except (ValueError, FileNotFoundError) as error:
        print(f"Nothing was changed. {error}", file=sys.stderr)
        return 2
    changed = replace(root, old, new)
    for path in changed:
        print(path)
    print(f"The address was {old} and is now {new}: {len(changed)} files changed.")
    if any(path.startswith("exercises/source/") for path in changed):
        print("Now run `make release`: released assignments hold checksums of what changed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
