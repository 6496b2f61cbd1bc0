"""What a comparison may differ by."""

STEP = 1e-12  # one step in float64, from the reference's state: NumPy's and XLA's cosine differ in the last bit
