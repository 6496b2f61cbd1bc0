"""The back end for CPUs: one C++ file, compiled by the system's compiler."""
