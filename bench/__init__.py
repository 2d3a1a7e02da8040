"""Benchmarks: `python -m bench` runs them all; each module runs on its own too.

They may import everything, tests included. What is compared is measured in turns within one run and
reported as a ratio; absolute figures are reported with the time of a fixed calibration loop.
"""
