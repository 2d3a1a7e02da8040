"""The resources of the API: one file each; parse, call, represent."""
