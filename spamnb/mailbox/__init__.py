"""Filters mailboxes on IMAP servers, and learns from what people move, there or in a Maildir."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spamnb.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from spamnb.mailbox.account_loop import (
        AccountRun as AccountRun,
        accounts_path as accounts_path,
        run_accounts as run_accounts,
        state_folder as state_folder,
        state_path as state_path,
    )
    from spamnb.mailbox.account_sync import AccountSync as AccountSync, Event as Event
    from spamnb.mailbox.accounts import MailAccount as MailAccount, check_name as check_name
    from spamnb.mailbox.folder_training import (
        FolderMails as FolderMails,
        train_from_folders as train_from_folders,
    )
    from spamnb.mailbox.imap_session import ImapSession as ImapSession
    from spamnb.mailbox.lesson_spool import (
        drain_spool as drain_spool,
        waiting_lessons as waiting_lessons,
    )
    from spamnb.mailbox.mail_classifier import MailClassifier as MailClassifier
    from spamnb.mailbox.mailbox_state import AccountSummary as AccountSummary, MailboxState as MailboxState
    from spamnb.mailbox.maildir_session import is_live_maildir as is_live_maildir
    from spamnb.mailbox.maildir_sync import sync_maildir as sync_maildir
    from spamnb.mailbox.passwords import password_of as password_of, store_password as store_password
    from spamnb.mailbox.server_search import find_server as find_server, log_in as log_in
    from spamnb.mailbox.special_folders import find_special_folders as find_special_folders
    from spamnb.mailbox.sync_plan import ACTIONS as ACTIONS
else:
    __all__, __getattr__ = lazy_names(
        __name__,
        {
            "account_loop": ["AccountRun", "accounts_path", "run_accounts", "state_folder", "state_path"],
            "account_sync": ["AccountSync", "Event"],
            "accounts": ["MailAccount", "check_name"],
            "folder_training": ["FolderMails", "train_from_folders"],
            "imap_session": ["ImapSession"],
            "lesson_spool": ["drain_spool", "waiting_lessons"],
            "mail_classifier": ["MailClassifier"],
            "mailbox_state": ["AccountSummary", "MailboxState"],
            "maildir_session": ["is_live_maildir"],
            "maildir_sync": ["sync_maildir"],
            "passwords": ["password_of", "store_password"],
            "server_search": ["find_server", "log_in"],
            "special_folders": ["find_special_folders"],
            "sync_plan": ["ACTIONS"],
        },
    )
