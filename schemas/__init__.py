"""What crosses the wire. Shapes of commands, options and events follow from their descriptions."""
