"""What the verbs of the command line do; each takes the parsed options and gives the exit status."""
