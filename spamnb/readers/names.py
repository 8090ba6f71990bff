"""Names that columns of texts and of labels usually have."""

# In order of preference, as `normal` writes them.
TEXT_NAMES = ["text", "message", "body", "sms", "content", "msg", "v2", "message_text", "sms_text"]
TEXT_NAMES += ["text_message", "email_text", "message_body", "full_text", "tweet", "comment", "email", "mail"]
LABEL_NAMES = ["label", "class", "category", "target", "is_spam", "isspam", "spam", "spam/ham", "spam_or_ham"]
LABEL_NAMES += ["v1", "type", "labels", "classification", "y"]
LABEL_NAMES += ["is_ham", "isham", "ham", "not_spam", "notspam", "legit"]


def normal(name: str) -> str:
    """A column's name for comparing.

    >>> normal(" Is-Spam ")
    'is_spam'
    """
    return name.strip().lower().replace(" ", "_").replace("-", "_")
