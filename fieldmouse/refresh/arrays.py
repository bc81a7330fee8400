"""Numpy, or a plain word on how to get it: only replays and training need it."""

from fieldmouse.errors import UsageError

try:
    import numpy as np
    from numpy.typing import NDArray
except ImportError:  # pragma: no cover
    raise UsageError("this needs numpy: pip install 'fieldmouse[learn]'") from None

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

__all__ = ["Flags", "Floats", "Ints", "np"]
