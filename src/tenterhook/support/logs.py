"""Our loggers. Log output goes to places that are not protected, so secrets are redacted."""

from __future__ import annotations

import logging
import os


class Redacting(logging.Filter):
    """Redacts a record and its exception text, and removes what would move a cursor."""

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
    logger.addFilter(REDACTING)  # once, however often the logger is requested
    return logger
