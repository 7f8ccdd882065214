"""The steps that every query goes through: check (query.py), plan (planner.py), run (run.py), wrap (solve.py)."""
