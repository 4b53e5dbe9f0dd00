"""What goes over the wire to a model endpoint and back: requests as bytes, streams as answers."""
