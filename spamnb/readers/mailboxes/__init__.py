"""TODO mailboxes."""
