"""A naive Bayes spam filter for SMS and e-mail."""
