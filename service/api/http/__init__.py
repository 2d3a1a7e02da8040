"""HTTP plumbing that every resource uses."""
