"""What holds of every claim that printed numbers decide, and how such numbers are made others."""

from for_readers import NOT_FOR_READERS


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


def decided_either_way(test, numbers, change, *, holds):
    """Printed numbers alone decide the claim, in words for readers, and others would have decided it the other way."""
    verdict, other = test(numbers), test(change(numbers.copy()))
    words = ("holds", "does not hold") if holds else ("does not hold", "holds")
    assert (verdict.verdict, other.verdict) == words, (verdict, other)
    assert verdict.p is None
    assert set(verdict.rows["profile"]) == {"published"}
    for one in (verdict, other):
        assert not NOT_FOR_READERS.search(one.evidence), one.evidence


def each_number_is_needed(test, numbers, ours):
    """Without printed numbers a claim is not run: rows of ours are none, and each that it read it needs."""
    for rows in (numbers[:0], ours):
        assert test(rows).verdict == "not run"
    read = test(numbers).rows
    for table, metric in read[["table", "metric"]].drop_duplicates().itertuples(index=False):
        gone = numbers["table"].eq(table) & numbers["metric"].eq(metric)
        assert test(numbers[~gone]).verdict == "not run", (table, metric)
