"""Values that fit a JSON Schema by its own dialect, for models that say what nobody has written.

``fitting(schema, number=n)`` is the value for the n-th call of a tool. It opens nothing, and needs a bounded time.
"""

from harness.fitting.values import Fit, fits, fitting

__all__ = ["Fit", "fits", "fitting"]
