"""When to look again: how often a page changes, what counts as a change, and what to fetch for the budget.

Everything here is pure: no clock, no network, no database. Days are the unit of time, changes a day of rate.
"""
