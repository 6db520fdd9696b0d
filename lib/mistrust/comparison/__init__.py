"""What to use when: the methods of all five papers on the same classifiers and the same bad inputs."""
