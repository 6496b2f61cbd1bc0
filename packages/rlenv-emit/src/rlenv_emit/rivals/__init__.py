"""Other back ends for the same program, to be measured beside C++: LLVM through llvmlite, and Dr.Jit."""
