"""Fixtures of the models' tests, for an agent that asks a model."""

from clients.models.conftest import chat as chat
from clients.models.conftest import chosen as chosen
