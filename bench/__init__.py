"""Measurements. `python -m bench` runs them all; each module runs alone too.

What is compared is measured in turns within one run, and told as a ratio; absolute figures stand
beside the time of a fixed calibration loop.
"""
