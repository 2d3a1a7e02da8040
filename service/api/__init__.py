"""The HTTP API: resources, HTTP plumbing, live delivery and documentation pages.

Its packages are layers: `docs` may import `resources`, these `live`, that `representations`, and
that `http`; never the other way round. None imports `service.cli` or the workers.
"""
