import unittest

from greet import greet


class Greeting(unittest.TestCase):
    def test_is_polite(self):
        self.assertEqual(greet("Ada"), "Good day, Ada")

    def test_needs_no_name(self):
        self.assertEqual(greet(""), "Good day")
