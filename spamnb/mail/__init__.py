"""Turns a raw mail into its text and tagged words, and a verdict into header fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.mail.header_writer import NO_VERDICT as NO_VERDICT, annotate as annotate, fold as fold
    from spamnb.mail.large_mail import LargeMail as LargeMail
    from spamnb.mail.mail_summary import sender_and_subject as sender_and_subject
    from spamnb.mail.parse import parse_mail as parse_mail
    from spamnb.mail.parsed_mail import (
        DEFAULT as DEFAULT,
        TAGS as TAGS,
        Limits as Limits,
        Mail as Mail,
        mail_texts as mail_texts,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "parsed_mail": ["DEFAULT", "Limits", "Mail", "TAGS", "mail_texts"],
            "header_writer": ["NO_VERDICT", "annotate", "fold"],
            "large_mail": ["LargeMail"],
            "mail_summary": ["sender_and_subject"],
            "parse": ["parse_mail"],
        },
    )
