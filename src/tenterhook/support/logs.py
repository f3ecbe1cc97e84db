"""Our loggers. What they say goes to places that nobody thinks of as secret, so it goes there without secrets."""

from __future__ import annotations

import logging
import os


class Redacting(logging.Filter):
    """Takes secrets out of a record, of its text and of the exception's below it; and what would move a cursor."""

    def filter(self, record: logging.LogRecord) -> bool:
        from tenterhook.support.clean_text import clean
        from tenterhook.support.secrets.redact import Redactor

        redactor = Redactor(os.environ)
        record.msg, record.args = clean(redactor.text(record.getMessage())), ()
        if record.exc_info:
            record.exc_text = redactor.text(logging.Formatter().formatException(record.exc_info))
        return True


REDACTING = Redacting()


def redacting_logger(name: str) -> logging.Logger:
    logger = logging.getLogger(name)
    logger.addFilter(REDACTING)  # once, however often it is asked for
    return logger
