"""How printed numbers are made others."""


def printed_as(*values, column="value", **where):
    """Make these printed numbers others: one for all of them, or one each in their order."""

    def alter(rows):
        found = rows["value"].notna()
        for name, value in where.items():
            found &= rows[name].isin(value if isinstance(value, list) else [value])
        assert found.any(), where
        rows.loc[found, column] = values if len(values) > 1 else values[0]
        return rows

    return alter
