"""`EXAMPLES`: what stands under the help of each command, by its action; nothing heavy is imported here.

The commands for a classifier of one's own have theirs beside their options (`search_parser` and the like).
"""

EXAMPLES = {
    "running.run": """
  mistrust run search                                         a chapter as it is in the quick profile
  mistrust run misclassification -p networks=4 -p seed=1      with other parameters; the page shows these rows
  mistrust run search monitoring --profile smoke --no-page    two chapters, as small as they get
  mistrust run robustness --profile full --dry-run            what would be made, and why
""",
    "making.make": """
  mistrust make misclassification --profile full --list       the pieces of a long experiment
  mistrust make misclassification --profile full --piece 3    one of them; what it makes is kept
  mistrust make comparison --engine tcp://10.0.0.5:8786       on the machines of a Dask cluster
""",
    "running.book": """
  mistrust book                                               run what changed, build the pages in _build/html
  mistrust book --profile smoke                               in a few minutes
  mistrust book --no-solutions                                to hand out, in _build/handout
""",
    "check.check": """
  mistrust check                                              all exercises
  mistrust check sdr                                          what is asked
  mistrust check sdr 1.5 2 1                                  whether an answer is right, else a hint
""",
    "house.serve": """
  mistrust serve                                              prints the address; Ctrl-C ends it
  mistrust serve --port 9000
""",
    "house.clean": """
  mistrust clean                                              rows, pages and records of runs; the store stays
""",
    "house.lint": """
  mistrust lint                                               says what is wrong
  mistrust lint --fix                                         mends what can be mended
""",
    "house.test": """
  mistrust test                                               all but those that run something whole or take long
  mistrust test -m whole                                      these: tiny chapters, books, what is killed
  mistrust test tests/search -k budget                        some of them; what follows `test` belongs to pytest
""",
    "house.browser": """
  mistrust browser                                            the pages in _build/html (first: mistrust book)
  mistrust browser -k slides
""",
    "release.release": """
  mistrust release                                            a wheel, and the book of the quick profile as one zip
  mistrust release --profile full --out dist/course
""",
    "looking.status": """
  mistrust status                                             every chapter: its last run, accepted rows, its page
  mistrust status search
""",
    "looking.listing": """
  mistrust list chapters
  mistrust list parameters search                             names, types, ranges, defaults
  mistrust list supervisors                                   all; with a name: its card
  mistrust list supervisors mdsa
""",
    "looking.claims": """
  mistrust claims                                             every claim of the papers, and its verdict
  mistrust claims search
  mistrust claims --check                                     whether the built book says the same
""",
    "looking.accept": """
  mistrust rows accept search --profile full                  the last run, whole
  mistrust rows accept monitoring --piece "gtsrb-thin: farm-lenet 0"   one piece of a long one
""",
    "looking.restore": """
  mistrust rows restore search                                then `mistrust make search --profile full` makes the rest
""",
    "looking.rows_compare": """
  mistrust rows compare search --profile quick                the last run against the accepted rows
  mistrust rows compare --with elsewhere/results              against rows accepted on another machine
""",
    "looking.data_list": """
  mistrust data list                                          what is here, and how to get the rest
""",
    "looking.data_get": """
  mistrust data get fmnist
""",
    "looking.store_list": """
  mistrust store list
  mistrust store list --check                                 every file against its checksum
""",
    "looking.store_prune": """
  mistrust store prune --dry-run                              what would go: unfinished, altered, outdated
  mistrust store prune --kind network --good                  good ones, too: they are made again when wanted
""",
}  # fmt: skip
