"""Reads mail: single mails, mboxes, folders of mails and indexes of labelled mails."""
