"""`python -m service.cli` is `bailli`."""

from . import main

main(prog_name="bailli")
