"""What holds of every claim that printed numbers decide."""


def each_number_is_needed(test, numbers, ours):
    """Without printed numbers a claim is not run: rows of ours are none, and each that it read it needs."""
    for rows in (numbers[:0], ours):
        assert test(rows).verdict == "not run"
    read = test(numbers).rows
    for table, metric in read[["table", "metric"]].drop_duplicates().itertuples(index=False):
        gone = numbers["table"].eq(table) & numbers["metric"].eq(metric)
        assert test(numbers[~gone]).verdict == "not run", (table, metric)
