"""What verbs share: options, the files that the user means, output formats, progress."""
