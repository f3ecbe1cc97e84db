"""A second reading of the law: what each dialect's hooks mean, written without a look at the engine.

The law is seeds/, semantics.md and the lead's numbered decisions, quoted as (1) to (17). Each module has
EVENTS, data(event), expected(event, acts, sequential) and rows().
"""
