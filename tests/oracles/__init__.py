"""A second reading of the law: what each dialect's hooks mean, written without a look at the engine.

The law is each agent's document, and our reading where the document is silent. Each module has EVENTS, data(event),
expected(event, acts, sequential) and rows().
"""
