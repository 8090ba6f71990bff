"""Names the folders that tests read: the checkout, its data, small test data, and public corpora."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
TEST_DATA = ROOT / "tests" / "data"
SMALL_SMS = TEST_DATA / "small_sms.csv"
SMALL_MAILS = sorted((TEST_DATA / "mail").glob("*/*.eml"))
SHARED = ROOT.parent / "shared" / "data"
SMS = SHARED / "sms" / "SMSSpamCollection.tsv"
SPAMASSASSIN = SHARED / "mail" / "spamassassin.tar.xz"
