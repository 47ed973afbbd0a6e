"""The one exception of this part."""


class ModelError(ValueError):
    """A model file or a training corpus cannot be used; the message says which and why, in one line."""
