"""Tests by requirement: each says with `req` which statements of the law it really checks."""
