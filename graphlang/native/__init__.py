"""Kernels in C, called with arrays: how they are built (`build`), wrapped (`wrapper`) and checked (`kernels`).

In: numpy arrays and numbers. Out: what C returns, or ``ValueError`` where arrays do not fit together. The ground floor:
every part of graphlang may import it, and it imports none. To add a kernel, read `build`; for threads, `threads`.
"""
