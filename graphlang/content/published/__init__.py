"""The methods of the papers as they were published, one file each; those that read bytes are in `bytes/`."""
