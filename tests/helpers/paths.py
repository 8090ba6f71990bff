"""Names the folders that tests read: the checkout, its sample data, and the public corpora beside it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
SAMPLE = DATA / "sms_sample.csv"
MAILS = sorted((DATA / "mail").glob("*/*.eml"))
SHARED = ROOT.parent / "shared" / "data"
SMS = SHARED / "sms" / "SMSSpamCollection.tsv"
SPAMASSASSIN = SHARED / "mail" / "spamassassin.tar.xz"
