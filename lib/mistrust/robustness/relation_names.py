"""Names of rank correlations over networks: "depth ~ random", and what is held fixed after a bar."""

FAMILY, FIXED = "family", " | "


def within(name: str) -> str:
    """The same with the family held fixed, too.

    Examples
    --------
    >>> within("depth ~ random"), within("depth ~ random | accuracy")
    ('depth ~ random | family', 'depth ~ random | accuracy, family')
    """
    return f"{name}, {FAMILY}" if FIXED in name else f"{name}{FIXED}{FAMILY}"


def together(name: str) -> str:
    """The same over all families together: `within`, undone.

    Examples
    --------
    >>> together("depth ~ random | accuracy, family"), together("depth ~ random")
    ('depth ~ random | accuracy', 'depth ~ random')
    """
    return name.removesuffix(FAMILY).removesuffix(", ").removesuffix(FIXED)
