"""Turns a raw mail into its text and tagged words, and a verdict into header fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.mail.large_mail import LargeMail as LargeMail
    from spamnb.mail.list_files import (
        StoredLists as StoredLists,
        list_paths as list_paths,
        own_lists as own_lists,
        read_list as read_list,
        write_list as write_list,
    )
    from spamnb.mail.mail_summary import sender_and_subject as sender_and_subject
    from spamnb.mail.parse import parse_mail as parse_mail
    from spamnb.mail.parsed_mail import (
        DEFAULT as DEFAULT,
        TAGS as TAGS,
        Limits as Limits,
        Mail as Mail,
        mail_texts as mail_texts,
    )
    from spamnb.mail.sender_lists import (
        ListEntry as ListEntry,
        SenderLists as SenderLists,
        is_entry as is_entry,
        ranked as ranked,
    )
    from spamnb.mail.verdict_header import (
        NO_VERDICT as NO_VERDICT,
        annotate as annotate,
        fold as fold,
        own_verdict as own_verdict,
    )
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "parsed_mail": ["DEFAULT", "Limits", "Mail", "TAGS", "mail_texts"],
            "verdict_header": ["NO_VERDICT", "annotate", "fold", "own_verdict"],
            "large_mail": ["LargeMail"],
            "mail_summary": ["sender_and_subject"],
            "list_files": ["StoredLists", "list_paths", "own_lists", "read_list", "write_list"],
            "parse": ["parse_mail"],
            "sender_lists": ["ListEntry", "SenderLists", "is_entry", "ranked"],
        },
    )
