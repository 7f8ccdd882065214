"""The one road every query takes: check, plan, run, wrap."""
