"""Kernels in C, called with arrays: how they are declared (`declarations`), built (`build`) and called (`kernels`).

The ground floor: every part of graphlang may import it, and it imports none. To add a kernel, read `build`.
"""
