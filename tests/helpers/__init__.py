"""What tests share: oracles, strategies, graphs of all shapes, damaged files, stand-ins for devices."""
